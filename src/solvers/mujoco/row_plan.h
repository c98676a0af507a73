// RowPlan: rows of joints and tendons, actuators and tendon springs of one archetype of parts.
#pragma once

#include <vector>

#include "dynamics/tree_plan.h"
#include "solvers/mujoco/pack_parts.kernel.h"
#include "solvers/mujoco/path_plan.h"

namespace carom::inline CAROM_PRECISION {

struct RowPlan {
  std::vector<JointRow> joint_rows;
  std::vector<JointEntry> joint_entries;
  std::vector<SpringSlot> springs;
  std::vector<EffortSlot> efforts;
  std::vector<JointEntry> spring_entries;
  std::vector<Tie> ties;
  std::vector<ActuatorSlot> actuators;
  std::vector<ActivationSlot> activations;
  int muscles = 0;
  std::vector<ControllerSlot> controllers;
  std::vector<OrientationSlot> orientations;
  std::vector<DelaySlot> delays;
  PathPlan paths;
  std::vector<JointEntry> actuator_entries;
  int equalities = 0, tendon_actuators = 0;
  PatternLists mass;  // of the mass matrix, with what tendons and actuators couple where the integrator asks for that
  RowView rows;
  ForceView forces;
  RowOrigin origin;  // on the model's device, as the views

  // part: any of the archetype; bodies: Parts::bodies; needs: what any of them needs (PartNeeds).
  RowPlan(const HostModel& host, const PartRows& part, const Array<int>& bodies, const TreePlan& tree,
          const std::vector<std::uint8_t>& needs);

  // What each joint row belongs to.
  const std::vector<JointRowOrigin>& joint_row_origins() const { return joint_row_origin_; }

 private:
  // What a length is a sum over, and the tendon joints of the part that the coefficients are of, -1 = 1.
  struct Side {
    std::vector<JointEntry> entries;
    std::vector<int> rows;
    std::vector<int> sources{};  // entries of a path, -1 = of none
    int path = -1;

    void add(const Side& other);
    int size() const { return static_cast<int>(entries.size()); }
  };
  struct Source {
    const HostModel& host;
    const PartRows& part;
    Array<int> bodies;
    const TreePlan& tree;
    Array<int> q_start, qd_start, ctrl_start, act_start, history_start;
    PathPlan& paths;

    Side axis(int joint, int axis) const;
    Side tendon(int row) const;
    Side path(int number) const;
    Side equality(int row, bool driven) const;
    Side tie(const Tie& tie) const;
    int body(int row) const;  // in the part, -1 = the world
    int link(int body) const { return body < 0 ? -1 : tree.body_link[body]; }
  };
  void add_axes(const Source& source, const std::uint8_t* needs);
  void add_turning_joints(const Source& source, const std::uint8_t* needs);
  void add_distances(const Source& source, const std::uint8_t* needs);
  void add_tendons(const Source& source, const std::uint8_t* needs);
  void add_equalities(const Source& source);
  void add_tie(const Source& source, int i, bool is_weld);
  void add_actuators(const Source& source);
  void add_states(const Source& source, int row, ActuatorSlot& slot);
  void add_efforts(const Source& source, const std::uint8_t* needs);
  Side side_of_actuator(const Source& source, int row, int member);
  void add_actuator(const Source& source, int row, ActuatorSlot slot, int member);
  void add_orientation(const Source& source, int row, ActuatorSlot slot);
  void add_delay(const Source& source, int row);
  static bool turns_something(const Source& source, int row);
  void add_rows(const Side& side, std::uint8_t needs, Entity entity, int row);
  void add_row(const Side& side, JointRow row, Entity entity, int of);
  void list_by_dof(int dofs, Device device);
  PatternLists find_mass_pattern(const HostModel& host, const TreePlan& tree) const;
  BitSets find_blocks(const BlockPattern& mass, Device device);
  void to_device(const HostModel& host, const PartRows& part, const TreePlan& tree);

  // As in RowOrigin.
  std::vector<JointRowOrigin> joint_row_origin_;
  std::vector<int> place_start_{0}, row_start_{0}, actuator_start_{0};
  int single_rows_ = 0;
  std::vector<int> spring_tendon_, effort_tendon_, effort_actuator_;
  std::vector<int> joint_entry_row_, spring_entry_row_, actuator_entry_row_;
  std::vector<int> joint_source_, spring_source_, actuator_source_;
  std::vector<int> muscle_actuator_, delay_actuator_;
  std::vector<int> place_of_actuator_;  // of each actuator of the part, in actuators
  std::vector<int> equality_row_;
  std::vector<TieOrigin> tie_origin_;
  PatternLists pattern_;
  Array<std::uint64_t> joint_row_words_;
  bool damped_ = false, driven_ = false, compensated_ = false;
  bool has_extras_ = false, has_armature_ = false, has_given_ = false;
  std::vector<Array<int>> arrays_;
  Array<JointRow> joint_rows_device_;
  Array<Tie> ties_device_;
  Array<TieOrigin> tie_origin_device_;
  Array<JointEntry> joint_entries_device_, spring_entries_device_, actuator_entries_device_;
  Array<Index2> dof_row_, dof_actuator_;
  Array<ActuatorSlot> actuators_device_;
  Array<ActivationSlot> activations_device_;
  Array<ControllerSlot> controllers_device_;
  Array<OrientationSlot> orientations_device_;
  Array<DelaySlot> delays_device_;
  Array<SpringSlot> springs_device_;
  Array<EffortSlot> efforts_device_;
  Array<JointRowOrigin> joint_row_origin_device_;
};

}  // namespace carom::inline CAROM_PRECISION

#include "dynamics/link_dofs.h"

#include <vector>

#include "dynamics/tree_plan.h"

namespace carom::inline CAROM_PRECISION {

LinkDofLists::LinkDofLists(const TreePlan& tree, Device device) : words(LinkDofs::words_for(tree.view.dofs())) {
  std::vector<std::int32_t> bits(words * tree.links.size(), 0);
  std::vector<LinkDofs::Words> range(tree.links.size(), {words, 0});
  for (std::size_t l = 0; l < tree.links.size(); ++l)
    for (const int dof : tree.dofs_of_link(tree.links[l])) {
      const int w = dof / kDofsPerWord;
      bits[l * words + w] |= 1 << dof % kDofsPerWord;
      range[l] = range[l] | LinkDofs::Words{w, w + 1};
    }
  word = Array<std::int32_t>(std::span<const std::int32_t>(bits), device);
  used = Array<LinkDofs::Words>(std::span<const LinkDofs::Words>(range), device);
}

}  // namespace carom::inline CAROM_PRECISION

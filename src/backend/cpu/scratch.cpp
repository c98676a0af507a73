#include "backend/cpu/scratch_block.h"
#include "backend/launch.h"

namespace carom {
namespace {

thread_local ScratchBlock own_block;
thread_local ScratchBlock* block_in_use = nullptr;

}  // namespace

void* thread_scratch(std::int64_t bytes) { return (block_in_use ? block_in_use : &own_block)->at_least(bytes); }
void use_scratch(ScratchBlock& block) { block_in_use = &block; }

}  // namespace carom

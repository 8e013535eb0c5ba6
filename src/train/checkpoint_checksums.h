#pragma once

#include "train/checkpoints.h"

namespace memsizer::train {

// Writes the checksum of every file in the checkpoint's folder beside them.
void write_checksums(const CheckpointFiles& files);

// Throws UserError if the folder does not hold exactly the files that were written, to the bit. Checkpoints
// of versions that kept no checksums pass.
void verify_checksums(const CheckpointFiles& files);

}  // namespace memsizer::train

// SPDX-License-Identifier: MIT
// T-30: what has tokens in its memory leaves no image of it behind.
#pragma once

namespace hawser::cli {

/// No core dump of this process, and no other process of the same user that looks into it. Programs that it starts
/// inherit the former only.
void forbid_core_dumps() noexcept;

}  // namespace hawser::cli

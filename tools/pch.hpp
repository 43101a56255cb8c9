// SPDX-License-Identifier: MIT
// What nearly every source includes anyway, compiled once per room. Only other people's headers: nothing of ours may
// depend on being included here.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <boost/system/result.hpp>
#include <chrono>
#include <coroutine>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

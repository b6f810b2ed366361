#include "trammel/numerics/thread_team.h"

#include <algorithm>
#include <system_error>

#ifdef __linux__
#include <sched.h>
#endif
#include <pthread.h>
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace trammel {

namespace {

constexpr int longest_wait = 2000;  // rounds, some ten microseconds; then a thread sleeps

void wait_a_moment() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// A word of 64 bits: the number of the work, its parts, the next part.
constexpr std::uint64_t word(std::uint32_t number, std::uint32_t count) {
  return (std::uint64_t{number} << 32) | (std::uint64_t{count} << 16);
}
int count_of(std::uint64_t word) { return static_cast<int>((word >> 16) & 0xffff); }
int next_of(std::uint64_t word) { return static_cast<int>(word & 0xffff); }
bool has_parts(std::uint64_t word) { return next_of(word) < count_of(word); }

}  // namespace

int ThreadTeam::available_cores() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::max(CPU_COUNT(&allowed), 1);
#endif
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

// Never destroyed: its threads may sleep while the process ends. In a forked process there is nothing of them but the
// memory, so that it gets a team of its own.
ThreadTeam& ThreadTeam::of_process() {
  static ThreadTeam* team = nullptr;
  static ThreadTeam* of_parent = nullptr;
  static const bool made = [] {
    team = new ThreadTeam(available_cores());
    pthread_atfork(nullptr, nullptr, [] {
      of_parent = team;
      team = new ThreadTeam(1);
    });
    return true;
  }();
  (void)made;
  (void)of_parent;
  return *team;
}

void ThreadTeam::stop_workers() {
  {
    const std::scoped_lock lock(sleep_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  stopping_ = false;
}

void ThreadTeam::set_threads(int threads) {
  const std::scoped_lock lock(busy_);
  stop_workers();
  threads_ = std::max(threads, 1);
}

// As many as the system gives.
void ThreadTeam::start_workers() {
  while (static_cast<int>(workers_.size()) + 1 < threads()) try {
      workers_.emplace_back([this] { wait_for_work(); });
    } catch (const std::system_error&) {
      threads_ = static_cast<int>(workers_.size()) + 1;
    }
}

bool ThreadTeam::begin(int count, Call work_of, const void* work) {
  constexpr int most_parts = 0xffff;
  if (count <= 0 || count > most_parts || !busy_.try_lock()) return false;
  start_workers();
  call_ = work_of;
  work_ = work;
  count_ = count;
  ended_.store(0, std::memory_order_relaxed);
  next_.store(
      word(++number_, static_cast<std::uint32_t>(count)));  // before asleep_ is read: nobody misses it
  if (asleep_.load() > 0) {
    { const std::scoped_lock lock(sleep_); }
    wake_.notify_all();
  }
  return true;
}

// False if there was none left.
bool ThreadTeam::take_parts() {
  bool any = false;
  for (std::uint64_t at = next_.load(std::memory_order_acquire); has_parts(at);) {
    if (!next_.compare_exchange_weak(at, at + 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    // whoever has taken a part keeps its work from ending
    call_(work_, next_of(at));
    ended_.fetch_add(1, std::memory_order_release);
    any = true;
    at = next_.load(std::memory_order_acquire);
  }
  return any;
}

void ThreadTeam::end() {
  for (int i = 0; ended_.load(std::memory_order_acquire) < count_; ++i)
    i < longest_wait ? wait_a_moment() : std::this_thread::yield();
  busy_.unlock();
}

void ThreadTeam::wait_for_work() {
  int idle = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (take_parts()) {
      idle = 0;
    } else if (++idle < longest_wait) {
      wait_a_moment();
    } else {
      std::unique_lock lock(sleep_);
      ++asleep_;
      wake_.wait(lock, [&] { return stopping_.load() || has_parts(next_.load()); });
      --asleep_;
      idle = 0;
    }
  }
}

}  // namespace trammel

// Work that is shared by the threads of the process: a few microseconds to begin and to end, so that a single sweep over a
// large mechanism is worth it. Which thread does which part is left to chance; that results do not depend on it is up
// to the parts, which must write to different places, and whose number must not depend on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace trammel {

class ThreadTeam {
 public:
  // All of the process share one, of as many threads as it has cores. They are started when there is work for them. A process
  // that was forked has one thread: whoever forks does so to use the cores by processes.
  static ThreadTeam& of_process();
  static int available_cores();

  explicit ThreadTeam(int threads) : threads_(threads) {}
  ~ThreadTeam() { stop_workers(); }
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // The thread that calls is one of them. Waits for work that others do here.
  void set_threads(int threads);
  int threads() const { return threads_.load(std::memory_order_relaxed); }

  // Calls work(0), ..., work(count − 1) and returns when all have ended. Who calls works, too; alone if there are no others, or if
  // they work for somebody else. `work` must not throw, and must not call this.
  template <class Work>
  void run(int count, const Work& work) {
    if (threads() == 1 || count == 1 || !begin(count, &call<Work>, &work)) {
      for (int part = 0; part < count; ++part) work(part);
      return;
    }
    take_parts();
    end();
  }

 private:
  using Call = void (*)(const void* work, int part);
  template <class Work>
  static void call(const void* work, int part) {
    (*static_cast<const Work*>(work))(part);
  }

  bool begin(int count, Call work_of, const void* work);
  void end();
  bool take_parts();
  void wait_for_work();
  void start_workers();
  void stop_workers();

  std::atomic<int> threads_;
  std::mutex busy_;                   // held by whose work it is
  std::vector<std::thread> workers_;  // fewer than threads_ until there is work

  // The work at hand: its number, how many parts it has, and the next one that nobody has taken, in one word, so that
  // a thread that comes late cannot take a part of other work.
  std::atomic<std::uint64_t> next_ = 0;
  std::uint32_t number_ = 0;
  Call call_ = nullptr;
  const void* work_ = nullptr;
  int count_ = 0;
  std::atomic<int> ended_ = 0;

  // Threads that have had nothing to do for a while sleep.
  std::mutex sleep_;
  std::condition_variable wake_;
  std::atomic<int> asleep_ = 0;
  std::atomic<bool> stopping_ = false;
};

}  // namespace trammel

package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The processes and threads of a {@link BigProfile} as they are at the moment of writing. */
final class ProfileProcesses {
  private static final int IDS = 1500;

  /** A process. */
  static final class Proc {
    final int pid;
    final int parent;

    /** Index in {@link ProfileStacks#NAMES}. */
    final int name;

    final List<Task> tasks = new ArrayList<>();

    /** True if it has ended, and its images are gone. */
    boolean gone;

    private int lingering;

    Proc(int pid, int parent, int name) {
      this.pid = pid;
      this.parent = parent;
      this.name = name;
    }

    LittleEndian payload(int status) {
      String image = ProfileStacks.NAMES.get(name);
      int session = name <= ProfileStacks.SYSTEM ? 0 : 1;
      return KernelPayloads.process(pid, parent, session, status, image, image);
    }
  }

  /** A thread. */
  static final class Task {
    static final int NEVER_LEFT = -1;

    final int tid;
    final Proc process;

    /** CPU that it runs on, or -1. */
    int cpu = -1;

    /** True if its end was logged; it may still be on its CPU. */
    boolean ended;

    long leftTime;
    int leftState = NEVER_LEFT;
    private int place = -1;

    Task(int tid, Proc process) {
      this.tid = tid;
      this.process = process;
    }

    LittleEndian payload() {
      return KernelPayloads.thread(process.pid, tid, 0x7FFB_3000_1321L, 8, "");
    }
  }

  final Task idle = new Task(0, new Proc(0, 0, ProfileStacks.IDLE));
  final Proc system = new Proc(4, 0, ProfileStacks.SYSTEM);

  /** All that live but Idle and System. */
  final List<Proc> processes = new ArrayList<>();

  private final XorShift64 dice;
  private final Task[] running = new Task[ProfileBuffers.CPUS];
  private final List<Task> ready = new ArrayList<>();
  private final int[] freeIds = new int[IDS];
  private int free;
  private final byte[] nameOfThread = new byte[8 + 4 * IDS];

  ProfileProcesses(XorShift64 dice) {
    this.dice = dice;
    for (int i = 0; i < IDS; i++) {
      freeIds[free++] = 8 + 4 * i;
    }
    Arrays.fill(running, idle);
  }

  /** An unused id of a process or thread, most likely one that was used before. */
  private int takeId() {
    int at = dice.below(free);
    int id = freeIds[at];
    freeIds[at] = freeIds[--free];
    return id;
  }

  Proc newProcess(int parent, int name) {
    Proc made = new Proc(takeId(), parent, name);
    processes.add(made);
    return made;
  }

  Task newTask(Proc process) {
    Task made = new Task(takeId(), process);
    process.tasks.add(made);
    nameOfThread[made.tid] = (byte) process.name;
    makeReady(made);
    return made;
  }

  /** The name of the process of the last thread that began with an id. */
  int nameOfThread(int tid) {
    return nameOfThread[tid];
  }

  Task running(int cpu) {
    return running[cpu];
  }

  /** Any thread that lives and does not run. */
  Task pickReady() {
    return ready.get(dice.below(ready.size()));
  }

  List<Task> ready() {
    return ready;
  }

  private void makeReady(Task task) {
    task.place = ready.size();
    ready.add(task);
  }

  /** Puts a ready thread or the idle one on a CPU. */
  void run(int cpu, Task task) {
    Task old = running[cpu];
    if (task != idle) {
      Task last = ready.removeLast();
      if (last != task) {
        ready.set(task.place, last);
        last.place = task.place;
      }
      task.cpu = cpu;
    }
    running[cpu] = task;
    if (old != idle) {
      old.cpu = -1;
      if (old.ended) {
        giveBack(old);
      } else {
        makeReady(old);
      }
    }
  }

  private void giveBack(Task task) {
    Proc process = task.process;
    freeIds[free++] = task.tid;
    process.lingering--;
    if (process.gone && process.lingering == 0) {
      freeIds[free++] = process.pid;
    }
  }

  /** Notes that a running thread has logged its end; it still runs. */
  void end(Task task) {
    task.ended = true;
    task.process.tasks.remove(task);
    task.process.lingering++;
  }

  /** Notes that a process has logged its end; at least one of its threads still runs. */
  void end(Proc process) {
    process.gone = true;
    processes.remove(process);
  }
}

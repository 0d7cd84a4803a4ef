package io.ntrail.analysis.probe.etw;

import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Type.Fields.Field;
import io.ntrail.analysis.probe.types.Types;
import java.util.List;

/** Probes of scheduling, disks and processes, and the kernel's events that they are made of. */
enum KernelProbe {
  /** A thread begins to run. */
  ON_CPU("sched", "on-cpu"),
  /** A thread ends to run; the arguments are of the one that follows. */
  OFF_CPU("sched", "off-cpu"),
  /** A thread that waited may run. */
  WAKEUP("sched", "wakeup"),
  /** A disk request begins. */
  START("io", "start"),
  /** A disk request was answered. */
  DONE("io", "done"),
  /** A process was created; the argument is it, and pid its parent. */
  CREATE("proc", "create"),
  /** A process ends. */
  EXIT("proc", "exit"),
  /** A thread was created; the arguments are of it. */
  LWP_CREATE("proc", "lwp-create"),
  /** A thread ends. */
  LWP_EXIT("proc", "lwp-exit"),
  /** An image was mapped. */
  LOAD("proc", "load");

  private final String provider;
  private final String word;

  KernelProbe(String provider, String word) {
    this.provider = provider;
    this.word = word;
  }

  private static Type thread() {
    return new Type.Fields(
        "lwpsinfo_t", List.of(new Field("pr_lwpid", Types.INT), new Field("pr_pri", Types.INT)));
  }

  private static Type process() {
    return new Type.Fields(
        "psinfo_t",
        List.of(
            new Field("pr_pid", Types.INT),
            new Field("pr_ppid", Types.INT),
            new Field("pr_fname", Types.TEXT),
            new Field("pr_psargs", Types.TEXT)));
  }

  private static List<Type> request() {
    return List.of(
        new Type.Fields(
            "bufinfo_t",
            List.of(
                new Field("b_flags", Types.INT),
                new Field("b_bcount", Types.UINT64),
                new Field("b_addr", Types.UINT64),
                new Field("b_blkno", Types.UINT64),
                new Field("b_lblkno", Types.UINT64),
                new Field("b_bufsize", Types.INT64))),
        new Type.Fields(
            "devinfo_t",
            List.of(
                new Field("dev_minor", Types.INT),
                new Field("dev_instance", Types.INT),
                new Field("dev_name", Types.TEXT),
                new Field("dev_statname", Types.TEXT))),
        new Type.Fields(
            "fileinfo_t",
            List.of(
                new Field("fi_name", Types.TEXT),
                new Field("fi_dirname", Types.TEXT),
                new Field("fi_pathname", Types.TEXT))));
  }

  private static Type image() {
    return new Type.Fields(
        "image_t",
        List.of(
            new Field("FileName", Types.TEXT),
            new Field("ImageBase", Types.UINT64),
            new Field("ImageSize", Types.UINT64)));
  }

  /** Returns the provider. */
  String provider() {
    return provider;
  }

  /** Returns its name as programs write it. */
  String word() {
    return word;
  }

  /** Returns the names of the events. */
  List<String> events() {
    return switch (this) {
      case ON_CPU, OFF_CPU -> List.of("Thread/CSwitch");
      case WAKEUP -> List.of("Thread/ReadyThread");
      case START -> List.of("DiskIo/ReadInit", "DiskIo/WriteInit", "DiskIo/FlushInit");
      case DONE -> List.of("DiskIo/Read", "DiskIo/Write", "DiskIo/FlushBuffers");
      case CREATE -> List.of("Process/Start");
      case EXIT -> List.of("Process/End");
      case LWP_CREATE -> List.of("Thread/Start");
      case LWP_EXIT -> List.of("Thread/End");
      case LOAD -> List.of("Image/Load");
    };
  }

  /** Returns the types of its arguments, as DTrace documents them. */
  List<Type> arguments() {
    return switch (this) {
      case ON_CPU, LWP_EXIT -> List.of();
      case OFF_CPU, WAKEUP, LWP_CREATE -> List.of(thread(), process());
      case START, DONE -> request();
      case CREATE -> List.of(process());
      case EXIT -> List.of(Types.INT, Types.INT);
      case LOAD -> List.of(image());
    };
  }
}

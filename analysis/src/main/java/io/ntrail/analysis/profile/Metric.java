package io.ntrail.analysis.profile;

import java.util.List;

/** What can be profiled: the sources of docs/profile.md. */
public enum Metric {
  CPU(
      "cpu",
      "CPU samples",
      "PROFILE (xperf -on PROFILE -stackwalk Profile)",
      Unit.SAMPLES,
      Unit.NANOS),
  PMC(
      "pmc",
      "samples of the processor's counters",
      "PMC_PROFILE (xperf -on PMC_PROFILE -PmcProfile SOURCE -stackwalk PmcInterrupt)",
      Unit.EVENTS,
      Unit.COUNT),
  WAIT(
      "wait",
      "context switches",
      "CSWITCH (xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER -stackwalk CSwitch+ReadyThread)",
      Unit.NANOS,
      Unit.COUNT),
  READY(
      "ready",
      "context switches",
      "CSWITCH and DISPATCHER (xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER"
          + " -stackwalk CSwitch+ReadyThread)",
      Unit.NANOS,
      Unit.COUNT),
  DISK(
      "disk",
      "disk transfers",
      "DISK_IO and DISK_IO_INIT (xperf -on DISK_IO+DISK_IO_INIT"
          + " -stackwalk DiskReadInit+DiskWriteInit+DiskFlushInit)",
      Unit.NANOS,
      Unit.BYTES,
      Unit.COUNT),
  FILE(
      "file",
      "file operations",
      "FILE_IO and FILE_IO_INIT (xperf -on FILE_IO+FILE_IO_INIT+FILENAME"
          + " -stackwalk FileRead+FileWrite+FileCreate)",
      Unit.NANOS,
      Unit.BYTES,
      Unit.COUNT),
  FAULT(
      "fault",
      "page faults",
      "ALL_FAULTS and HARD_FAULTS (xperf -on ALL_FAULTS+HARD_FAULTS"
          + " -stackwalk PagefaultHard+PagefaultDemandZero)",
      Unit.COUNT,
      Unit.BYTES),
  ALLOC(
      "alloc",
      "allocations",
      "VIRT_ALLOC (xperf -on VIRT_ALLOC -stackwalk VirtualAlloc), a heap session, or the .NET"
          + " runtime's provider with the GC keyword",
      Unit.BYTES,
      Unit.COUNT),
  EVENT("event", "events", "", Unit.COUNT);

  /** Kinds of allocations, the most telling first. */
  static final List<String> ALLOCATION_KINDS = List.of("gc", "heap", "virtual", "pool");

  private final String text;
  private final String things;
  private final String toRecord;

  @SuppressWarnings("ImmutableEnumChecker") // List.of makes none that can be changed.
  private final List<Unit> units;

  Metric(String text, String things, String toRecord, Unit... units) {
    this.text = text;
    this.things = things;
    this.toRecord = toRecord;
    this.units = List.of(units);
  }

  /** As options and answers spell it. */
  public String text() {
    return text;
  }

  /** What it is made of, in the plural. */
  public String things() {
    return things;
  }

  /** What has to be recorded for it, with an example. */
  public String toRecord() {
    return toRecord;
  }

  /** The units that it can be told in, the usual one first. */
  public List<Unit> units() {
    return units;
  }
}

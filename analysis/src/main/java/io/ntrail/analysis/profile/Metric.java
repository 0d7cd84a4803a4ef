package io.ntrail.analysis.profile;

import java.util.List;

/** What can be profiled: the sources of docs/profile.md. */
public enum Metric {
  CPU(
      "cpu",
      "CPU samples",
      "wpr -start CPU, or: xperf -on PROC_THREAD+LOADER+PROFILE -stackwalk Profile",
      Unit.SAMPLES,
      Unit.NANOS),
  PMC(
      "pmc",
      "samples of the processor's counters",
      "xperf -on PROC_THREAD+LOADER+PMC_PROFILE -PmcProfile InstructionRetired"
          + " -stackwalk PmcInterrupt (WPR: a .wprp with the keyword PmcProfile)",
      Unit.EVENTS,
      Unit.COUNT),
  WAIT(
      "wait",
      "context switches",
      "wpr -start CPU, or: xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER"
          + " -stackwalk CSwitch+ReadyThread",
      Unit.NANOS,
      Unit.COUNT),
  READY(
      "ready",
      "context switches",
      "wpr -start CPU, or: xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER"
          + " -stackwalk CSwitch+ReadyThread",
      Unit.NANOS,
      Unit.COUNT),
  DISK(
      "disk",
      "disk transfers",
      "wpr -start DiskIO, or: xperf -on PROC_THREAD+LOADER+DISK_IO+DISK_IO_INIT"
          + " -stackwalk DiskReadInit+DiskWriteInit+DiskFlushInit",
      Unit.NANOS,
      Unit.BYTES,
      Unit.COUNT),
  FILE(
      "file",
      "file operations",
      "wpr -start FileIO, or: xperf -on PROC_THREAD+LOADER+FILE_IO+FILE_IO_INIT+FILENAME"
          + " -stackwalk FileRead+FileWrite+FileCreate",
      Unit.NANOS,
      Unit.BYTES,
      Unit.COUNT),
  FAULT(
      "fault",
      "page faults",
      "xperf -on PROC_THREAD+LOADER+ALL_FAULTS+HARD_FAULTS"
          + " -stackwalk PagefaultHard+PagefaultDemandZero"
          + " (WPR: a .wprp with the keywords AllFaults and HardFaults)",
      Unit.COUNT,
      Unit.BYTES),
  ALLOC(
      "alloc",
      "allocations",
      "wpr -start VirtualAllocation, or: xperf -on PROC_THREAD+LOADER+VIRT_ALLOC"
          + " -stackwalk VirtualAlloc; heaps: wpr -start Heap; .NET: its provider, keyword GC",
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

  /** How to record it, with WPR or xperf. */
  public String toRecord() {
    return toRecord;
  }

  /** The units that it can be told in, the usual one first. */
  public List<Unit> units() {
    return units;
  }
}

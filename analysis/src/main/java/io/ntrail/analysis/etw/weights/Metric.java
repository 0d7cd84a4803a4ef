package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.WeightUnit;
import java.util.List;

/** What can be profiled: the sources of docs/profile.md. */
public enum Metric {
  CPU(
      "cpu",
      "CPU samples",
      "wpr -start CPU, or: xperf -on PROC_THREAD+LOADER+PROFILE -stackwalk Profile",
      WeightUnit.SAMPLES,
      WeightUnit.NANOS),
  PMC(
      "pmc",
      "samples of the processor's counters",
      "xperf -on PROC_THREAD+LOADER+PMC_PROFILE -PmcProfile InstructionRetired"
          + " -stackwalk PmcInterrupt (WPR: a .wprp with the keyword PmcProfile)",
      WeightUnit.EVENTS,
      WeightUnit.COUNT),
  WAIT(
      "wait",
      "context switches",
      "wpr -start CPU, or: xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER"
          + " -stackwalk CSwitch+ReadyThread",
      WeightUnit.NANOS,
      WeightUnit.COUNT),
  READY(
      "ready",
      "context switches",
      "wpr -start CPU, or: xperf -on PROC_THREAD+LOADER+CSWITCH+DISPATCHER"
          + " -stackwalk CSwitch+ReadyThread",
      WeightUnit.NANOS,
      WeightUnit.COUNT),
  DISK(
      "disk",
      "disk transfers",
      "wpr -start DiskIO, or: xperf -on PROC_THREAD+LOADER+DISK_IO+DISK_IO_INIT"
          + " -stackwalk DiskReadInit+DiskWriteInit+DiskFlushInit",
      WeightUnit.NANOS,
      WeightUnit.BYTES,
      WeightUnit.COUNT),
  FILE(
      "file",
      "file operations",
      "wpr -start FileIO, or: xperf -on PROC_THREAD+LOADER+FILE_IO+FILE_IO_INIT+FILENAME"
          + " -stackwalk FileRead+FileWrite+FileCreate",
      WeightUnit.NANOS,
      WeightUnit.BYTES,
      WeightUnit.COUNT),
  FAULT(
      "fault",
      "page faults",
      "xperf -on PROC_THREAD+LOADER+ALL_FAULTS+HARD_FAULTS"
          + " -stackwalk PagefaultHard+PagefaultDemandZero"
          + " (WPR: a .wprp with the keywords AllFaults and HardFaults)",
      WeightUnit.COUNT,
      WeightUnit.BYTES),
  ALLOC(
      "alloc",
      "allocations",
      "wpr -start VirtualAllocation, or: xperf -on PROC_THREAD+LOADER+VIRT_ALLOC"
          + " -stackwalk VirtualAlloc; heaps: wpr -start Heap; .NET: its provider, keyword GC",
      WeightUnit.BYTES,
      WeightUnit.COUNT),
  EVENT("event", "events", "", WeightUnit.COUNT);

  /** Kinds of allocations, the most telling first. */
  static final List<String> ALLOCATION_KINDS = List.of("gc", "heap", "virtual", "pool");

  private final String text;
  private final String things;
  private final String toRecord;

  @SuppressWarnings("ImmutableEnumChecker") // List.of makes none that can be changed.
  private final List<WeightUnit> units;

  Metric(String text, String things, String toRecord, WeightUnit... units) {
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
  public List<WeightUnit> units() {
    return units;
  }
}

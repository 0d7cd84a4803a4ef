package io.ntrail.testkit.profile;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * Builder of a recording, event by event: set the time, the CPU and who runs, then say what
 * happens; {@link #writer} makes the recording.
 *
 * <pre>{@code
 * Activity a = new Activity().world();
 * a.at(10).on(0).sample(0x401000, 101).stack(100, 101, 0x401000, 0x402000);
 * }</pre>
 *
 * <p>Times are microseconds since the start of the recording; a tick is a tenth of one unless the
 * settings say otherwise.
 */
public final class RecordingBuilder {
  /** Address at which {@link #world} has ntoskrnl.exe, 0x100000 bytes. */
  public static final long KERNEL = 0xFFFF_F800_0000_0000L;

  /**
   * Address at which {@link #world} has app.exe in process 100 and svc.exe in 200, 0x100000 bytes
   * each.
   */
  public static final long APP = 0x40_0000L;

  /** Address at which {@link #world} has ntdll.dll in both, 0x100000 bytes. */
  public static final long NTDLL = 0x7FF8_0000_0000L;

  /** Bytes of every image of {@link #world}. */
  public static final long SIZE = 0x10_0000L;

  /** Thread states of a context switch: see docs/profile.md. */
  public static final int READY = 1;

  /** Gone for good. */
  public static final int TERMINATED = 4;

  /** Waiting. */
  public static final int WAITING = 5;

  record Entry(int cpu, EtlRecord record) {}

  private final EtlSettings settings;
  private final int p;
  private final List<Entry> entries = new ArrayList<>();
  private long ticks;
  private int cpu;
  private int pid = -1;
  private int tid = -1;

  /** An empty recording of 64-bit Windows 11 with a clock of 10 MHz. */
  public RecordingBuilder() {
    this(EtlSettings.windows11(), 8);
  }

  /**
   * An empty recording.
   *
   * @param pointer 4 or 8, as the settings have it
   */
  public RecordingBuilder(EtlSettings settings, int pointer) {
    this.settings = settings;
    this.p = pointer;
  }

  /**
   * The world of most tables: the kernel, process 100 with the threads 101 to 109 and process 200
   * with 201 to 209, all there before the recording began.
   */
  public RecordingBuilder world() {
    at(0).on(0).as(-1, -1);
    processRundown(0, "Idle").threadRundown(0, 0).imageRundown(0, KERNEL, SIZE, "ntoskrnl.exe");
    for (int process = 100; process <= 200; process += 100) {
      String name = process == 100 ? "app.exe" : "svc.exe";
      processRundown(process, name);
      imageRundown(process, APP, SIZE, name).imageRundown(process, NTDLL, SIZE, "ntdll.dll");
      for (int thread = process + 1; thread < process + 10; thread++) {
        threadRundown(process, thread);
      }
    }
    return this;
  }

  /** The time of what comes next, in microseconds. */
  public RecordingBuilder at(long micros) {
    return atTicks(micros * 10);
  }

  /** The time of what comes next, in ticks. */
  public RecordingBuilder atTicks(long value) {
    ticks = value;
    return this;
  }

  /** The CPU of what comes next. */
  public RecordingBuilder on(int processor) {
    cpu = processor;
    return this;
  }

  /**
   * The process and thread in the headers of what comes next; with thread -1 such records have no
   * thread: system records say -1 and all others are written without.
   */
  public RecordingBuilder as(int process, int thread) {
    pid = process;
    tid = thread;
    return this;
  }

  /** The raw time stamp of what comes next. */
  long raw() {
    return settings.startTicks() + ticks;
  }

  /** The time of a tick in nanoseconds since the start, rounded down. */
  long nanos(long tick) {
    return settings.nanosOf(tick);
  }

  List<Entry> entries() {
    return entries;
  }

  EtlSettings settings() {
    return settings;
  }

  /** Logs any record. */
  public RecordingBuilder log(EtlRecord record) {
    entries.add(new Entry(cpu, record));
    return this;
  }

  /** A kernel record that never has a thread in its header. */
  public RecordingBuilder perf(int hook, int version, LittleEndian payload) {
    EtlRecords made = EtlRecords.perfInfo(p, hook).version(version);
    return log(made.time(raw()).payload(payload).build());
  }

  /** A kernel record with process and thread if {@link #as} has set them. */
  public RecordingBuilder hook(int hook, int version, LittleEndian payload) {
    if (tid < 0) {
      return perf(hook, version, payload);
    }
    return system(hook, version, payload);
  }

  /** Adds a kernel event as a class event, as older files have it. */
  RecordingBuilder classRecord(int hook, int version, LittleEndian payload) {
    UUID eventClass = ClassGuids.ofHook(hook);
    if (eventClass == null) {
      throw new IllegalArgumentException("no class of " + hook);
    }
    EtlRecords made = EtlRecords.full(p, eventClass).opcode(hook & 0xFF).version(version);
    return log(made.time(raw()).thread(pid, tid).payload(payload).build());
  }

  private RecordingBuilder system(int hook, int version, LittleEndian payload) {
    EtlRecords made = EtlRecords.system(p, hook).version(version).thread(pid, tid);
    return log(made.time(raw()).payload(payload).build());
  }

  /** The recording. */
  public EtlWriter writer() {
    EtlWriter writer = new EtlWriter(settings);
    List<Entry> sorted = new ArrayList<>(entries);
    sorted.sort(Comparator.comparingLong(e -> e.record().time()));
    sorted.forEach(e -> writer.log(e.cpu(), e.record()));
    return writer;
  }

  /** Process/Start. */
  public RecordingBuilder process(int process, String image) {
    return system(0x0301, 4, ProfilePayloads.process(p, process, 4, image));
  }

  /** Process/End. */
  public RecordingBuilder processEnd(int process, String image) {
    return system(0x0302, 4, ProfilePayloads.process(p, process, 4, image));
  }

  /** Process/DCStart. */
  public RecordingBuilder processRundown(int process, String image) {
    return system(0x0303, 4, ProfilePayloads.process(p, process, 4, image));
  }

  /** Process/DCEnd. */
  public RecordingBuilder processRundownAtEnd(int process, String image) {
    return system(0x0304, 4, ProfilePayloads.process(p, process, 4, image));
  }

  /** Thread/Start. */
  public RecordingBuilder thread(int process, int thread) {
    return system(0x0501, 3, ProfilePayloads.thread(p, process, thread));
  }

  /** Thread/End. */
  public RecordingBuilder threadEnd(int process, int thread) {
    return system(0x0502, 3, ProfilePayloads.thread(p, process, thread));
  }

  /** Thread/DCStart. */
  public RecordingBuilder threadRundown(int process, int thread) {
    return system(0x0503, 3, ProfilePayloads.thread(p, process, thread));
  }

  /** Thread/DCEnd. */
  public RecordingBuilder threadRundownAtEnd(int process, int thread) {
    return system(0x0504, 3, ProfilePayloads.thread(p, process, thread));
  }

  private RecordingBuilder imageRecord(int hook, int process, long base, long size, String file) {
    String path = "\\Device\\HarddiskVolume3\\shop\\" + file;
    return system(hook, 3, ProfilePayloads.image(p, base, size, process, path));
  }

  /** Image/Load. */
  public RecordingBuilder image(int process, long base, long size, String file) {
    return imageRecord(0x030A, process, base, size, file);
  }

  /** Image/UnLoad. */
  public RecordingBuilder imageUnload(int process, long base, long size, String file) {
    return imageRecord(0x1402, process, base, size, file);
  }

  /** Image/DCStart. */
  public RecordingBuilder imageRundown(int process, long base, long size, String file) {
    return imageRecord(0x1403, process, base, size, file);
  }

  /** Image/DCEnd. */
  public RecordingBuilder imageRundownAtEnd(int process, long base, long size, String file) {
    return imageRecord(0x1404, process, base, size, file);
  }

  /** A context switch on this CPU: {@code old} leaves in a state, {@code next} comes. */
  public RecordingBuilder swap(int old, int state, int next) {
    return perf(0x0524, 4, KernelPayloads.cswitch(next, old, 8, 8, 6, state));
  }

  /** ReadyThread: {@code thread} may run from now on. */
  public RecordingBuilder ready(int thread) {
    return hook(0x0532, 2, KernelPayloads.readyThread(thread, 1, 1, 0));
  }

  /** A sample, counted once, outside of interrupts. */
  public RecordingBuilder sample(long ip, int thread) {
    return sample(ip, thread, 1, 0);
  }

  /** A sample; flags 1 in a DPC, 2 in an interrupt. */
  public RecordingBuilder sample(long ip, int thread, int count, int flags) {
    return perf(0x0F2E, 2, ProfilePayloads.sample(p, ip, thread, count, flags));
  }

  /** A sample of a counter. */
  public RecordingBuilder pmc(long ip, int thread, int source) {
    return perf(0x0F2F, 2, ProfilePayloads.pmc(p, ip, thread, source));
  }

  /** SetInterval (0F48), CollectionStart (0F49) or CollectionEnd (0F4A). */
  public RecordingBuilder interval(int hook, int source, int interval) {
    return perf(hook, 3, KernelPayloads.interval(source, interval, "source " + source));
  }

  /** The stack of what happened just now. */
  public RecordingBuilder stack(int process, int thread, long... frames) {
    return perf(0x1820, 2, ProfilePayloads.stack(p, raw(), process, thread, frames));
  }

  /** A stack of what happened at an earlier time, in ticks, logged now. */
  public RecordingBuilder stackOf(long eventTicks, int process, int thread, long... frames) {
    long time = settings.startTicks() + eventTicks;
    return perf(0x1820, 2, ProfilePayloads.stack(p, time, process, thread, frames));
  }

  /** A kernel (1825) or user (1826) key of the stack of an earlier event, logged now. */
  public RecordingBuilder keyOf(int hook, long eventTicks, int process, int thread, long key) {
    long time = settings.startTicks() + eventTicks;
    return perf(hook, 2, ProfilePayloads.stackKey(p, time, process, thread, key));
  }

  /** The frames of a key: create (1822), delete (1823) or rundown (1824). */
  public RecordingBuilder define(int hook, long key, long... frames) {
    return perf(hook, 2, ProfilePayloads.keyDefinition(p, key, frames));
  }

  /** An event of a provider without a stack of its own. */
  public RecordingBuilder event(UUID provider, int id, int version, LittleEndian payload) {
    return log(eventRecord(p, provider, id, version, payload).build());
  }

  /** An event of a provider, to be completed with extended items and logged. */
  public EtlRecords eventRecord(
      int pointer, UUID provider, int id, int version, LittleEndian payload) {
    EtlRecords made = EtlRecords.event(pointer, provider, id).version(version).thread(pid, tid);
    return made.time(raw()).payload(payload);
  }

  /** An event of a provider with a stack in an extended item. */
  public RecordingBuilder eventWithStack(
      UUID provider, int id, int version, LittleEndian payload, long matchId, long... frames) {
    LittleEndian item = ProfilePayloads.stackItem(p, matchId, frames);
    EtlRecords made = eventRecord(p, provider, id, version, payload);
    return log(made.item(p == 8 ? 6 : 5, item.toByteArray()).build());
  }

  /** AllocationTick, version 3, without a stack. */
  public RecordingBuilder allocationTick(long amount) {
    return event(ProfilePayloads.CLR, 10, 3, ProfilePayloads.allocationTick(p, 3, amount));
  }

  /** MethodLoadVerbose. */
  public RecordingBuilder method(long start, int size, String namespace, String name) {
    return event(ProfilePayloads.CLR, 143, 1, ProfilePayloads.method(start, size, namespace, name));
  }

  /** MethodUnloadVerbose. */
  public RecordingBuilder methodUnload(long start, int size, String namespace, String name) {
    return event(ProfilePayloads.CLR, 144, 1, ProfilePayloads.method(start, size, namespace, name));
  }

  /** MethodDCEndVerbose. */
  public RecordingBuilder methodRundownAtEnd(long start, int size, String namespace, String name) {
    return event(
        ProfilePayloads.CLR_RUNDOWN, 144, 1, ProfilePayloads.method(start, size, namespace, name));
  }
}

package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.RowsByUse;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.analysis.naming.Lifetimes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.SchemaTable;
import org.jspecify.annotations.Nullable;

/**
 * Summary of the recorded machine: its hardware, the sampling of its CPUs, the numbers of
 * processes, threads and images. {@link Machine} knows more, for more memory.
 */
public final class MachineSummary implements SurveyPart<MachineSummary> {
  private static final Guid SYSTEM_CONFIG_EX = Guid.parse("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
  private static final Guid IMAGE_ID = Guid.parse("b3e675d7-2554-4f18-830b-2762732560de");
  private static final int BUILD_INFO = 32;
  private static final int VOLUME_MAPPING = 35;
  private static final int RSDS = 36;

  private final EtwRecording recording;
  private final KernelEvents kernel;
  private final KernelPayload payloads;

  private final SystemConfigurationCollector hardware = new SystemConfigurationCollector();
  private final SamplingCollector samples = new SamplingCollector();
  private final ImageCollector images = new ImageCollector();
  private final Volumes volumes = new Volumes();
  private final Lifetimes processes = new Lifetimes();
  private final Lifetimes threads = new Lifetimes();

  /** Empty: to be filled by a survey. */
  public MachineSummary(EtwRecording recording, KernelEvents kernel, SchemaTable table) {
    this.recording = recording;
    this.kernel = kernel;
    this.payloads = new KernelPayload(table);
  }

  @Override
  public void visit(int fileNumber, RecordCursor record) {
    int hook;
    if (record.kind().isHook()) {
      hook = record.hookId();
    } else if (record.kind().isClassic()) {
      if (is(IMAGE_ID, record)) {
        imageId(record);
        return;
      }
      if (is(SYSTEM_CONFIG_EX, record)) {
        systemConfigEx(fileNumber, record);
        return;
      }
      hook = kernel.hookId(record.provider(), record.opcode());
    } else {
      return;
    }
    switch (hook) {
      case KernelEvent.PERFINFO_SAMPLEPROF -> samples.sample(record);
      case KernelEvent.PERFINFO_SAMPLEDPROFILECACHE -> samples.batch(record);
      case KernelEvent.PERFINFO_SETINTERVAL,
          KernelEvent.PERFINFO_COLLECTIONSTART,
          KernelEvent.PERFINFO_COLLECTIONEND -> {
        Payload payload = read(record, hook);
        if (payload != null) {
          samples.interval(payload);
        }
      }
      case KernelEvent.SYSTEMCONFIG_CPU -> {
        Payload payload = read(record, hook);
        if (payload != null) {
          hardware.cpu(fileNumber, record, payload);
        }
      }
      case KernelEvent.IMAGE_LOAD -> image(record, hook);
      default -> {
        switch (KernelEvent.group(hook)) {
          case Group.PROCESS -> process(record, hook);
          case Group.THREAD -> thread(record, hook);
          case Group.IMAGE -> image(record, hook);
          default -> {
            // Tells nothing of this.
          }
        }
      }
    }
  }

  /**
   * Asks for the records that it wants to visit, which most do not tell anything of this: samples
   * by {@link #visitSamples}, others by {@link #visit}.
   *
   * @param rows lists them as {@link RowsByUse#samples} and {@link RowsByUse#facts}
   */
  public static void ask(RowsByUse rows) {
    for (int type = 0; type <= 0xFF; type++) {
      for (int group : new int[] {Group.SYSTEMCONFIG, Group.PROCESS, Group.IMAGE}) {
        rows.ask(rows.facts(), KernelEvent.hookId(group, type));
      }
      if (KernelLifetimes.kind(type) >= 0) {
        rows.ask(rows.facts(), KernelEvent.hookId(Group.THREAD, type));
      }
    }
    rows.ask(rows.facts(), KernelEvent.PERFINFO_SAMPLEDPROFILECACHE);
    rows.ask(rows.facts(), KernelEvent.PERFINFO_SETINTERVAL);
    rows.ask(rows.facts(), KernelEvent.PERFINFO_COLLECTIONSTART);
    rows.ask(rows.facts(), KernelEvent.PERFINFO_COLLECTIONEND);
    rows.ask(rows.samples(), KernelEvent.PERFINFO_SAMPLEPROF);
  }

  /** Learns from the records that were asked for as samples. */
  public void visitSamples(RecordCursor record, RecordTable table, RowsByUse.Rows rows) {
    for (int i = 0; i < rows.count(); i++) {
      samples.sample(record, table, rows.get(i));
    }
  }

  private static boolean is(Guid guid, RecordCursor record) {
    return record.providerLow() == guid.low() && record.providerHigh() == guid.high();
  }

  private @Nullable Payload read(RecordCursor record, int hook) {
    return payloads.read(record, kernel.classGuid(hook), hook);
  }

  private void imageId(RecordCursor record) {
    if (record.opcode() == RSDS) {
      Payload payload = payloads.read(record, IMAGE_ID, RSDS);
      if (payload != null && !images.pdb(payload)) {
        KernelPayload.tellShort(record, payload);
      }
    }
  }

  private void systemConfigEx(int fileNumber, RecordCursor record) {
    int opcode = record.opcode();
    if (opcode != BUILD_INFO && opcode != VOLUME_MAPPING) {
      return;
    }
    Payload payload = payloads.read(record, SYSTEM_CONFIG_EX, opcode);
    if (payload != null && opcode == BUILD_INFO) {
      hardware.build(fileNumber, record, payload);
    } else if (payload != null && payload.find("DosPath") >= 0) {
      volumes.note(KernelPayload.text(payload, "NtPath"), KernelPayload.text(payload, "DosPath"));
    } else if (payload != null) {
      KernelPayload.tellShort(record, payload);
    }
  }

  private void image(RecordCursor record, int hook) {
    Payload payload = read(record, hook);
    if (payload != null && !images.image(payload)) {
      KernelPayload.tellShort(record, payload);
    }
  }

  private void process(RecordCursor record, int hook) {
    byte kind = KernelLifetimes.kind(KernelEvent.type(hook));
    Payload payload = kind < 0 ? null : read(record, hook);
    if (payload != null) {
      note(processes, record, payload, "ProcessId", "ImageFileName", kind);
    }
  }

  private void thread(RecordCursor record, int hook) {
    byte kind = KernelLifetimes.kind(KernelEvent.type(hook));
    boolean tells = kind >= 0 && kind != Lifetimes.DEFUNCT;
    Payload payload = tells ? read(record, hook) : null;
    if (payload != null) {
      note(threads, record, payload, "TThreadId", "ProcessId", kind);
    }
  }

  private void note(
      Lifetimes lives,
      RecordCursor record,
      Payload payload,
      String name,
      String needed,
      byte kind) {
    int id = payload.find(name);
    if (id >= 0 && payload.find(needed) >= 0) {
      long key = recording.key(record.file(), record.ticks());
      lives.note((int) payload.integer(id), key, kind, 0);
    } else {
      KernelPayload.tellShort(record, payload);
    }
  }

  @Override
  public MachineSummary merge(MachineSummary other) {
    hardware.merge(other.hardware);
    samples.merge(other.samples);
    images.merge(other.images);
    volumes.addAll(other.volumes);
    processes.addAll(other.processes, 0);
    threads.addAll(other.threads, 0);
    return this;
  }

  @Override
  public void settle() {
    processes.settle();
    threads.settle();
    volumes.settle();
    images.settle(volumes);
  }

  /** The machine. */
  public SystemConfiguration hardware() {
    return hardware.result();
  }

  /**
   * The samples.
   *
   * @param busyWithStack busy samples that have a stack, see {@link Sampling#busy}
   */
  public Sampling sampling(long busyWithStack) {
    return samples.result(busyWithStack);
  }

  /** Returns the numbers of processes, threads and images. */
  public MachineCounts contents() {
    return new MachineCounts(
        processes.lives(),
        threads.lives(),
        images.images(),
        images.imagesWithPdbId(),
        processes.leftOut() + threads.leftOut() + images.leftOut());
  }
}

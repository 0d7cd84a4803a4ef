package io.ntrail.analysis.machine;

import io.ntrail.analysis.recording.Recording;
import io.ntrail.analysis.recording.SurveyPart;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Processes, threads, names of files and volumes of the machine that was recorded. Collected in the
 * survey; read only afterwards.
 *
 * <p>Times are the keys that records are put in order by ({@link Recording#key}).
 */
public final class Machine implements SurveyPart<Machine> {
  private static final Guid SYSTEM_CONFIG_EX = Guid.parse("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
  private static final int VOLUME_MAPPING = 35;

  private static final int PROCESS = 0x03;
  private static final int FILE_IO = 0x04;
  private static final int THREAD = 0x05;
  private static final int DEFUNCT = 0x27;
  private static final int CSWITCH = 0x0524;

  private final Recording recording;
  private final KernelEvents kernel;
  private final SchemaTable table;
  private final Payload payload = new Payload();

  private final Lifetimes processLives = new Lifetimes();
  private final List<ProcessLife> processes = new ArrayList<>();
  private final Lifetimes threadLives = new Lifetimes();
  private final FileNames files = new FileNames();
  private final Volumes volumes = new Volumes();
  private boolean contextSwitches;

  /** Empty: to be filled by a survey. */
  public Machine(Recording recording, KernelEvents kernel, SchemaTable table) {
    this.recording = recording;
    this.kernel = kernel;
    this.table = table;
  }

  @Override
  public void visit(int fileNumber, RecordCursor record) {
    int hook;
    if (record.kind().isHook()) {
      hook = record.hookId();
    } else if (record.kind().isClassic()) {
      if (record.providerLow() == SYSTEM_CONFIG_EX.low()
          && record.providerHigh() == SYSTEM_CONFIG_EX.high()) {
        systemConfig(record);
        return;
      }
      hook = kernel.hookId(record.provider(), record.opcode());
    } else {
      return;
    }
    switch (hook >>> 8) {
      case PROCESS -> process(record, hook);
      case THREAD -> thread(record, hook);
      case FILE_IO -> file(record, hook);
      default -> {
        // Tells nothing about the machine.
      }
    }
  }

  private boolean read(RecordCursor record, Guid provider, int id) {
    Schema schema = table.schema(provider, id, record.version());
    if (schema == null) {
      return false;
    }
    payload.read(
        schema,
        record.bytes(),
        record.payloadOffset(),
        record.payloadLength(),
        record.pointerBytes());
    return true;
  }

  private boolean read(RecordCursor record, int hook) {
    return read(record, kernel.classGuid(hook), hook);
  }

  private long key(RecordCursor record) {
    return recording.key(record.file(), record.ticks());
  }

  private void process(RecordCursor record, int hook) {
    byte kind = kind(hook & 0xFF);
    if (kind < 0 || !read(record, hook)) {
      return;
    }
    int id = payload.find("ProcessId");
    int image = payload.find("ImageFileName");
    if (id < 0 || image < 0) {
      return;
    }
    int parent = payload.find("ParentId");
    int commandLine = payload.find("CommandLine");
    int pid = (int) payload.integer(id);
    String line = commandLine < 0 ? "" : payload.text(commandLine);
    processLives.note(pid, key(record), kind, processes.size());
    processes.add(
        new ProcessLife(
            pid,
            parent < 0 ? -1 : (int) payload.integer(parent),
            payload.text(image),
            line.isEmpty() ? null : line));
  }

  private static byte kind(int opcode) {
    return switch (opcode) {
      case 1 -> Lifetimes.START;
      case 2 -> Lifetimes.END;
      case 3 -> Lifetimes.RUNDOWN_START;
      case 4 -> Lifetimes.RUNDOWN_END;
      case DEFUNCT -> Lifetimes.DEFUNCT;
      default -> -1;
    };
  }

  private void thread(RecordCursor record, int hook) {
    if (hook == CSWITCH) {
      contextSwitches = true;
      return;
    }
    byte kind = kind(hook & 0xFF);
    if (kind < 0 || kind == Lifetimes.DEFUNCT || !read(record, hook)) {
      return;
    }
    int process = payload.find("ProcessId");
    int thread = payload.find("TThreadId");
    if (process >= 0 && thread >= 0) {
      threadLives.note(
          (int) payload.integer(thread), key(record), kind, (int) payload.integer(process));
    }
  }

  private void file(RecordCursor record, int hook) {
    switch (hook & 0xFF) {
      case 0x00, 0x20, 0x23, 0x24 -> {
        if (read(record, hook)) {
          int key = payload.find("FileObject");
          int name = payload.find("FileName");
          if (key >= 0 && name >= 0) {
            files.note(payload.integer(key), key(record), payload.text(name));
          }
        }
      }
      default -> {
        // An operation, not a name.
      }
    }
  }

  private void systemConfig(RecordCursor record) {
    if (record.opcode() == VOLUME_MAPPING && read(record, SYSTEM_CONFIG_EX, VOLUME_MAPPING)) {
      int kernelPath = payload.find("NtPath");
      int drive = payload.find("DosPath");
      if (kernelPath >= 0 && drive >= 0) {
        volumes.note(payload.text(kernelPath), payload.text(drive));
      }
    }
  }

  @Override
  public Machine merge(Machine other) {
    processLives.addAll(other.processLives, processes.size());
    processes.addAll(other.processes);
    threadLives.addAll(other.threadLives, 0);
    files.addAll(other.files);
    volumes.addAll(other.volumes);
    contextSwitches |= other.contextSwitches;
    return this;
  }

  @Override
  public void settle() {
    sortProcesses();
    processLives.settle();
    threadLives.settle();
    files.settle();
    volumes.settle();
  }

  /** So that the order of two notes of one time does not depend on which thread came first. */
  private void sortProcesses() {
    Integer[] order = new Integer[processes.size()];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparing(processes::get, ProcessLife.ORDER));
    int[] places = new int[order.length];
    List<ProcessLife> sorted = new ArrayList<>(order.length);
    for (int i = 0; i < order.length; i++) {
      places[order[i]] = i;
      sorted.add(processes.get(order[i]));
    }
    processLives.renumber(places);
    processes.clear();
    processes.addAll(sorted);
  }

  /** The process that an id meant at a time; null if the recording does not tell. */
  public @Nullable ProcessLife process(int id, long key) {
    int life = processLives.at(id, key);
    return life < 0 ? null : processes.get(processLives.value(life));
  }

  /** The process that a thread belonged to at a time; -1 if the recording does not tell. */
  public int processOfThread(int thread, long key) {
    int life = threadLives.at(thread, key);
    return life < 0 ? RecordCursor.NO_ID : threadLives.value(life);
  }

  /** Number of processes that the recording tells of. */
  public int processCount() {
    return processLives.lives();
  }

  /** Number of threads that the recording tells of. */
  public int threadCount() {
    return threadLives.lives();
  }

  /** Names of files. */
  public FileNames files() {
    return files;
  }

  /** Drive letters. */
  public Volumes volumes() {
    return volumes;
  }

  /** Whether context switches were recorded, so that it is known which thread ran on a CPU. */
  public boolean contextSwitches() {
    return contextSwitches;
  }
}

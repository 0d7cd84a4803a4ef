package io.ntrail.analysis.etw.machine;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.Images;
import io.ntrail.analysis.naming.Lifetimes;
import io.ntrail.analysis.naming.Methods;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.analysis.naming.ProcessNames;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Processes, threads, names of files and volumes of the machine that was recorded. Collected in the
 * survey; read only afterwards.
 *
 * <p>Times are the keys that records are put in order by ({@link EtwRecording#key}).
 */
public final class Machine implements SurveyPart<Machine>, ProcessNames {
  private static final Guid SYSTEM_CONFIG_EX = Guid.parse("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
  private static final int VOLUME_MAPPING = 35;
  private static final Guid IMAGE_ID = Guid.parse("b3e675d7-2554-4f18-830b-2762732560de");
  private static final int RSDS = 36;

  /** The idle process, which has this id on every machine. */
  private static final ProcessInstance IDLE = new ProcessInstance(0, 0, "Idle", null);

  /** Memory for names and command lines of processes, in characters. */
  private static final long MOST_LINE_CHARACTERS = 8L << 20;

  private static final int SHORT_NAME = 32;

  /** Beginnings and ends of processes that are kept, about 200 bytes each. */
  private static final int MOST_PROCESSES = 1 << 18;

  private final EtwRecording recording;
  private final KernelEvents kernel;
  private final SchemaTable table;
  private final Payload payload = new Payload();

  private final Lifetimes processLives = new Lifetimes();
  private final List<ProcessInstance> processes = new ArrayList<>();
  private final Lifetimes threadLives = new Lifetimes();
  private final RecordedThreadNames threadNames = new RecordedThreadNames();
  private final FileNames files = new FileNames();
  private final Volumes volumes = new Volumes();
  private final Images images = new Images();
  private final Methods methods = new Methods();
  private final boolean addresses;
  private boolean contextSwitches;
  private long lineCharacters;
  private long processesLeftOut;

  /**
   * Empty: to be filled by a survey.
   *
   * @param addresses whether to learn also what lies at which addresses: images and methods
   */
  public Machine(
      EtwRecording recording, KernelEvents kernel, SchemaTable table, boolean addresses) {
    this.addresses = addresses;
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
      if (record.providerLow() == IMAGE_ID.low() && record.providerHigh() == IMAGE_ID.high()) {
        imageId(record);
        return;
      }
      hook = kernel.hookId(record.provider(), record.opcode());
    } else {
      if (addresses && record.kind().isEvent()) {
        MethodEvents.read(record, key(record), methods);
      }
      return;
    }
    switch (KernelEvent.group(hook)) {
      case Group.PROCESS -> {
        if (hook == KernelEvent.IMAGE_LOAD) {
          image(record, hook);
        } else {
          process(record, hook);
        }
      }
      case Group.IMAGE -> image(record, hook);
      case Group.THREAD -> thread(record, hook);
      case Group.FILEIO -> file(record, hook);
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
    byte kind = KernelLifetimes.kind(KernelEvent.type(hook));
    if (kind < 0 || !read(record, hook)) {
      return;
    }
    int id = payload.find("ProcessId");
    int image = payload.find("ImageFileName");
    if (id < 0 || image < 0) {
      KernelPayload.tellShort(record, payload);
      return;
    }
    int parent = payload.find("ParentId");
    int commandLine = payload.find("CommandLine");
    int pid = (int) payload.integer(id);
    String line = commandLine < 0 ? "" : payload.text(commandLine);
    if (processes.size() >= MOST_PROCESSES) {
      processesLeftOut++;
      return;
    }
    String name = payload.text(image);
    lineCharacters += name.length() + line.length();
    // Further command lines are unknown then, and names are cut.
    boolean room = lineCharacters <= MOST_LINE_CHARACTERS;
    processLives.note(pid, key(record), kind, processes.size());
    processes.add(
        new ProcessInstance(
            pid,
            parent < 0 ? -1 : (int) payload.integer(parent),
            room || name.length() <= SHORT_NAME ? name : name.substring(0, SHORT_NAME),
            room && !line.isEmpty() ? line : null));
  }

  private void thread(RecordCursor record, int hook) {
    if (hook == KernelEvent.THREAD_CSWITCH) {
      contextSwitches = true;
      return;
    }
    if (hook == KernelEvent.THREAD_SETNAME && read(record, hook)) {
      nameOf(record, payload.find("ThreadId"));
      return;
    }
    byte kind = KernelLifetimes.kind(KernelEvent.type(hook));
    if (kind < 0 || kind == Lifetimes.DEFUNCT || !read(record, hook)) {
      return;
    }
    int process = payload.find("ProcessId");
    int thread = payload.find("TThreadId");
    nameOf(record, thread);
    if (process >= 0 && thread >= 0) {
      threadLives.note(
          (int) payload.integer(thread), key(record), kind, (int) payload.integer(process));
    } else {
      KernelPayload.tellShort(record, payload);
    }
  }

  /** Notes the name of a thread that the event tells. */
  private void nameOf(RecordCursor record, int thread) {
    int name = payload.find("ThreadName");
    if (thread >= 0 && name >= 0) {
      threadNames.note((int) payload.integer(thread), key(record), payload.text(name));
    }
  }

  private void image(RecordCursor record, int hook) {
    byte kind =
        hook == KernelEvent.IMAGE_LOAD
            ? Lifetimes.START
            : KernelLifetimes.kind(KernelEvent.type(hook));
    if (!addresses || kind < 0 || kind == Lifetimes.DEFUNCT || !read(record, hook)) {
      return;
    }
    int base = find("ImageBase", "BaseAddress");
    int size = find("ImageSize", "ModuleSize");
    int name = find("FileName", "ImageFileName");
    if (base < 0 || size < 0 || name < 0) {
      KernelPayload.tellShort(record, payload);
      return;
    }
    int process = payload.find("ProcessId");
    int stamp = payload.find("TimeDateStamp");
    images.note(
        process < 0 ? record.processId() : (int) payload.integer(process),
        payload.integer(base),
        key(record),
        kind,
        new ImageFile(
            payload.text(name),
            payload.integer(size),
            stamp < 0 ? 0 : (int) payload.integer(stamp)));
  }

  /** A field that had another name in older versions. */
  private int find(String name, String older) {
    int at = payload.find(name);
    return at >= 0 ? at : payload.find(older);
  }

  private void file(RecordCursor record, int hook) {
    switch (hook) {
      case KernelEvent.FILEIO_NAME,
          KernelEvent.FILEIO_FILECREATE,
          KernelEvent.FILEIO_FILEDELETE,
          KernelEvent.FILEIO_FILERUNDOWN -> {
        if (read(record, hook)) {
          int key = payload.find("FileObject");
          int name = payload.find("FileName");
          if (key >= 0 && name >= 0) {
            files.note(payload.integer(key), key(record), payload.text(name));
          } else {
            KernelPayload.tellShort(record, payload);
          }
        }
      }
      default -> {
        // An operation, not a name.
      }
    }
  }

  private void imageId(RecordCursor record) {
    if (!addresses || record.opcode() != RSDS || !read(record, IMAGE_ID, RSDS)) {
      return;
    }
    int base = payload.find("ImageBase");
    int process = payload.find("ProcessId");
    int guid = payload.find("GuidSig");
    int age = payload.find("Age");
    int name = payload.find("PDBFileName");
    if (base >= 0 && process >= 0 && guid >= 0 && age >= 0 && name >= 0) {
      images.notePdb(
          (int) payload.integer(process),
          payload.integer(base),
          key(record),
          new PdbReference(
              new PdbId(Guid.read(payload.bytes(), payload.offset(guid)), payload.integer(age)),
              payload.text(name)));
    } else {
      KernelPayload.tellShort(record, payload);
    }
  }

  private void systemConfig(RecordCursor record) {
    if (record.opcode() == VOLUME_MAPPING && read(record, SYSTEM_CONFIG_EX, VOLUME_MAPPING)) {
      int kernelPath = payload.find("NtPath");
      int drive = payload.find("DosPath");
      if (kernelPath >= 0 && drive >= 0) {
        volumes.note(payload.text(kernelPath), payload.text(drive));
      } else {
        KernelPayload.tellShort(record, payload);
      }
    }
  }

  @Override
  public Machine merge(Machine other) {
    processLives.addAll(other.processLives, processes.size());
    processes.addAll(other.processes);
    threadLives.addAll(other.threadLives, 0);
    threadNames.addAll(other.threadNames);
    files.addAll(other.files);
    images.addAll(other.images);
    methods.addAll(other.methods);
    volumes.addAll(other.volumes);
    contextSwitches |= other.contextSwitches;
    processesLeftOut += other.processesLeftOut;
    return this;
  }

  @Override
  public void settle() {
    sortProcesses();
    processLives.settle();
    threadLives.settle();
    files.settle();
    images.settle(processLives);
    methods.settle(processLives);
    volumes.settle();
  }

  /** So that the order of two notes of one time does not depend on which thread came first. */
  private void sortProcesses() {
    int[] order =
        RowSort.sorted(
            processes.size(),
            (a, b) -> ProcessInstance.ORDER.compare(processes.get(a), processes.get(b)));
    int[] places = new int[order.length];
    List<ProcessInstance> sorted = new ArrayList<>(order.length);
    for (int i = 0; i < order.length; i++) {
      places[order[i]] = i;
      sorted.add(processes.get(order[i]));
    }
    processLives.renumber(places);
    processes.clear();
    processes.addAll(sorted);
  }

  /** The process that an id meant at a time; null if not recorded. */
  public @Nullable ProcessInstance process(int id, long key) {
    int life = processLives.at(id, key);
    if (life < 0) {
      return id == 0 ? IDLE : null;
    }
    return processes.get(processLives.value(life));
  }

  /** The process that a thread belonged to at a time; -1 if not recorded. */
  public int processOfThread(int thread, long key) {
    int life = threadLives.at(thread, key);
    return life < 0 ? RecordCursor.NO_ID : threadLives.value(life);
  }

  /**
   * Returns true if an id meant the same thread at two times, and that had not ended before the
   * later one; also if nothing was recorded about the thread.
   */
  public boolean isSameThread(int thread, long key, long later) {
    int life = threadLives.at(thread, key);
    int last = threadLives.at(thread, later);
    return life == last && (life < 0 || threadLives.lasts(life, later));
  }

  /** Returns the name that a thread had at a time, or got later; null if none is recorded. */
  @Override
  public @Nullable String threadName(int thread, long key) {
    int life = threadLives.at(thread, key);
    return life < 0
        ? null
        : threadNames.in(thread, key, threadLives.from(life), threadLives.to(life));
  }

  /**
   * Returns which of the threads an id meant at a time: a number of its own; -1 if not recorded.
   */
  public int threadNumber(int thread, long key) {
    return threadLives.at(thread, key);
  }

  /** Returns the lives of processes, by their numbers; their values are of no use outside. */
  public Lifetimes processLives() {
    return processLives;
  }

  /** Returns the lives of threads, by their numbers; their values are ids of processes. */
  public Lifetimes threadLives() {
    return threadLives;
  }

  /** Returns a process by its number. */
  public ProcessInstance processOfNumber(int number) {
    return processes.get(processLives.value(number));
  }

  @Override
  public Set<String> processNames() {
    return processes.stream().map(ProcessInstance::image).collect(Collectors.toSet());
  }

  /** Returns the number of processes in the recording. */
  public int processCount() {
    return processLives.lives();
  }

  /** Returns the number of threads in the recording. */
  public int threadCount() {
    return threadLives.lives();
  }

  /**
   * Beginnings and ends of processes and threads, and names of files, that were skipped at the
   * memory limit: some names may then be missing, or be those of an earlier process, thread or
   * file.
   */
  public long leftOut() {
    return processesLeftOut
        + processLives.leftOut()
        + threadLives.leftOut()
        + threadNames.leftOut()
        + files.leftOut()
        + images.leftOut()
        + methods.leftOut();
  }

  /** Names of files. */
  public FileNames files() {
    return files;
  }

  /** Images of all processes. */
  public Images images() {
    return images;
  }

  /** Methods that the .NET runtime compiled. */
  public Methods methods() {
    return methods;
  }

  @Override
  public int processNumber(int id, long key) {
    return processLives.at(id, key);
  }

  @Override
  public @Nullable String processName(int number, int id) {
    if (number >= 0) {
      return processes.get(processLives.value(number)).image();
    }
    ProcessInstance life = id == 0 ? process(0, Long.MIN_VALUE) : null;
    return life == null ? null : life.image();
  }

  /** Drive letters. */
  public Volumes volumes() {
    return volumes;
  }

  /** Returns true if context switches were recorded, so that the thread on a CPU is known. */
  public boolean contextSwitches() {
    return contextSwitches;
  }
}

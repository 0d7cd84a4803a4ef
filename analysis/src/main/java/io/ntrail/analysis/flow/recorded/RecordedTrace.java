package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.etw.ipt.PieceReader;
import io.ntrail.analysis.etw.ipt.PieceTable;
import io.ntrail.analysis.etw.ipt.TracePieces;
import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.SurveyPart;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.calls.CodeModule;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.naming.CodeMap;
import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.Images;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.ReusedInput;
import io.ntrail.formats.etl.EtlClock;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.programs.kernelcode.CodeVariant;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolStores;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The Processor Trace of a recording: its pieces, and the code that each process had.
 *
 * {@snippet :
 * try (RecordedTrace trace = RecordedTrace.of(recording, 2, stores, pdbs);
 *     PieceWalk walk = trace.walk(settings)) {
 *   for (int i = 0; i < trace.pieces().listed(); i++) {
 *     walk.walk(i, piece -> sink);
 *   }
 * }
 * }
 */
public final class RecordedTrace implements AutoCloseable {
  private static final long MEGA = 1_000_000L;

  private final EtwRecording recording;
  private final Machine machine;
  private final TracePieces pieces;
  private final CodeImages images;
  private final DriverCode drivers;
  private final CodeHistory history;
  private final RecordingSymbols symbols;
  private final CodeMap methods;

  /** Modules by the number of the file and the base. */
  private final Map<Long, CodeModule> modules = new HashMap<>();

  /** Things that the survey looks for. */
  private record Pass(Machine machine, PieceTable pieces) implements SurveyPart<Pass> {
    @Override
    public void visit(int fileNumber, RecordCursor record) {
      machine.visit(fileNumber, record);
      pieces.visit(fileNumber, record);
    }

    @Override
    public Pass merge(Pass other) {
      machine.merge(other.machine);
      pieces.merge(other.pieces);
      return this;
    }

    @Override
    public void settle() {
      machine.settle();
      pieces.settle();
    }
  }

  private RecordedTrace(
      EtwRecording recording,
      Machine machine,
      TracePieces pieces,
      List<SymbolStores> stores,
      PdbSearch pdbs) {
    this.recording = recording;
    this.machine = machine;
    this.pieces = pieces;
    this.images = new CodeImages(machine.images(), stores);
    this.drivers = new DriverCode(images, machine.images(), recording::isKernel);
    this.history = new CodeHistory(machine, recording::isKernel, drivers);
    this.symbols =
        new RecordingSymbols(machine.images(), pdbs)
            .withImages(file -> images.image(machine.images().files().indexOf(file)));
    this.methods = new CodeMap(machine.images(), machine.methods(), recording::isKernel);
  }

  /**
   * Surveys a recording.
   *
   * @param stores where the files of images are looked for, in this order
   * @param pdbs where names of functions are looked for
   */
  public static RecordedTrace of(
      EtwRecording recording, int cores, List<SymbolStores> stores, PdbSearch pdbs) {
    KernelEvents kernel = new KernelEvents();
    SchemaTable table = SchemaTable.kernel();
    Pass pass =
        recording.survey(
            cores,
            () -> new Pass(new Machine(recording, kernel, table, true), new PieceTable(recording)));
    TracePieces pieces = TracePieces.of(recording, cores, pass.pieces, kernel, table);
    return new RecordedTrace(recording, pass.machine, pieces, stores, pdbs);
  }

  /** Returns the recording. */
  public EtwRecording recording() {
    return recording;
  }

  /** Returns the pieces, by time. */
  public TracePieces pieces() {
    return pieces;
  }

  /** Returns processes, threads and images. */
  public Machine machine() {
    return machine;
  }

  /** Takes the code of every driver in a variant; before the first walk. */
  public void useVariant(CodeVariant variant) {
    drivers.useFor(variant);
  }

  /**
   * Finds out in which variant the code of each driver was, by trying with which one the flow goes
   * on, and takes it; before the first walk.
   *
   * @param numbers of the pieces that are tried
   * @param work is told of each, and may stop the trial
   * @return the drivers of which sites were executed
   */
  public List<DriverVariant> chooseVariants(
      int[] numbers, PieceSettings settings, StoppableWork<?> work) {
    drivers.useFor(CodeVariant.IMPORT_OPTIMIZATION);
    VariantChoice choice = new VariantChoice(drivers, settings.flow());
    ReusedInput memory = new ReusedInput();
    try (PieceReader reader = pieces.reader()) {
      for (int number : numbers) {
        if (work.isStopping()) {
          break;
        }
        if (pieces.piece(number).options().hasKernelCode()) {
          choice.learn(reader.read(number).inOrder(memory), code(number));
        }
        work.done(pieces.piece(number).bytes());
      }
    }
    return choice.found();
  }

  /** Returns how much speaks against a variant of all drivers in a piece. */
  long against(int number, CodeVariant variant, PieceSettings settings) {
    DriverCode all = new DriverCode(images, machine.images(), recording::isKernel);
    all.useFor(variant);
    try (PieceReader reader = pieces.reader()) {
      return new VariantChoice(all, settings.flow())
          .against(reader.read(number).inOrder(new ReusedInput()), code(number));
    }
  }

  /** Returns a walk over pieces, for one thread. */
  public PieceWalk walk(PieceSettings settings) {
    return new PieceWalk(this, settings);
  }

  /** Returns the images that the flow came to and that are not at hand, each with the reason. */
  public Map<String, String> missingImages() {
    return images.missing();
  }

  /** Returns what could not be read of images and of PDBs. */
  public List<Gap> codeGaps() {
    List<Gap> all = new ArrayList<>(images.gaps());
    synchronized (symbols) {
      all.addAll(symbols.gaps());
    }
    return all;
  }

  /** Returns the process of a piece as messages name it; null if it is not recorded. */
  public @Nullable String process(int piece) {
    int pid = pieces.piece(piece).processId();
    return machine.processName(machine.processNumber(pid, pieces.eventKey(piece)), pid);
  }

  /** Returns the name of the thread of a piece; null if it has none that is recorded. */
  public @Nullable String thread(int piece) {
    return machine.threadName(pieces.piece(piece).threadId(), pieces.eventKey(piece));
  }

  /**
   * Returns ticks of the time stamp counter a second as the recording tells it: exactly if that is
   * its clock, else as the nominal speed of the processor; 0 if it does not tell.
   */
  public long hertz() {
    EtlClock clock = recording.files().getFirst().clock();
    if (clock.kind() == EtlClock.Kind.CPU_CYCLES) {
      return clock.ticksPerSecond();
    }
    return recording
        .files()
        .getFirst()
        .header()
        .map(LogFileHeader::cpuSpeedInMHz)
        .map(mega -> mega * MEGA)
        .orElse(0L);
  }

  /** Returns true if the clock of the recording is the time stamp counter. */
  public boolean isTimeStampCounter() {
    return recording.oneClock()
        && recording.files().getFirst().clock().kind() == EtlClock.Kind.CPU_CYCLES;
  }

  ProcessCode code(int piece) {
    return history.at(pieces.piece(piece).processId(), pieces.eventKey(piece));
  }

  /** Returns the modules of some code, by address. */
  List<CodeModule> modules(ProcessCode code) {
    List<CodeModule> all = new ArrayList<>();
    synchronized (modules) {
      for (Images.Load load : code.loads()) {
        long key = load.base() * 31 + load.file();
        CodeModule known = modules.get(key);
        if (known == null || known.base() != load.base()) {
          known = module(load);
          modules.put(key, known);
        }
        all.add(known);
      }
    }
    return all;
  }

  private CodeModule module(Images.Load load) {
    ImageFile file = images.file(load.file());
    PdbReference pdb = machine.images().pdb(load.file()).orElse(null);
    return new CodeModule(
        file.path().isEmpty() ? file.name() : file.path(),
        load.base(),
        load.size(),
        rva -> name(load.file(), rva),
        file.id(),
        pdb == null ? null : pdb.id(),
        pdb == null ? "" : pdb.fileName());
  }

  private Optional<CodeModule.Named> name(int file, long rva) {
    synchronized (symbols) {
      return symbols
          .at(file, rva)
          .map(symbol -> new CodeModule.Named(symbol.begin(), symbol.function().function()));
    }
  }

  /** Returns why the flow of a piece is lost, in words. */
  String why(int piece, ProcessCode code, FlowError error, long address) {
    return error == FlowError.NO_CODE && address != 0
        ? error.text() + ": " + missing(piece, code, address)
        : error.text();
  }

  private String missing(int piece, ProcessCode code, long address) {
    String method = method(pieces.piece(piece).processId(), pieces.eventKey(piece), address);
    if (!method.isEmpty()) {
      return "the method "
          + method
          + " was compiled while the program ran, and its bytes are not in the recording";
    }
    int load = code.at(address);
    if (load < 0) {
      return "the recording tells of nothing there";
    }
    int file = code.loads().get(load).file();
    String name = images.file(file).name();
    String why = images.why(file);
    return why.isEmpty()
        ? name + " has no bytes at +0x" + Long.toHexString(address - code.loads().get(load).base())
        : name + " is missing (" + why + ")";
  }

  private synchronized String method(int pid, long key, long address) {
    CodeMap.Space space = methods.space(pid);
    space.moveTo(key);
    space.find(address);
    if (space.methodNumber() < 0) {
      return "";
    }
    String name = space.method();
    return name == null ? "without a recorded name" : name;
  }

  @Override
  public void close() {
    synchronized (symbols) {
      symbols.close();
    }
    images.close();
  }
}

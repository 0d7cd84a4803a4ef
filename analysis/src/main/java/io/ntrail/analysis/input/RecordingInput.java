package io.ntrail.analysis.input;

import static java.util.stream.Collectors.toSet;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.JtrcCalls;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.analysis.collapsed.CollapsedRecording;
import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.RecordingContradictions;
import io.ntrail.analysis.etw.recording.RecordingContradictions.Contradiction;
import io.ntrail.analysis.model.Ability;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.jtrc.JtrcFile;
import io.ntrail.formats.ntr.NtrFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files that a question is about: finds out what they are, and opens the one recording that
 * they hold.
 *
 * <p>Both are steps of their own, since what else makes sense to ask depends on the kind. A file
 * that was looked at is kept open in between, so that a compressed one is inflated once.
 */
public final class RecordingInput implements AutoCloseable {
  private final List<Path> paths;
  private final Set<Ability> wanted;
  private final RecordingKind kind;
  private boolean together;

  /**
   * Content that was opened to find out the kind; null if it is to be opened, or belongs to
   * another.
   */
  private @Nullable Content content;

  /** The files in one path, and what of them could not be inflated. */
  private record Content(List<InputFile> inputs, Gaps gaps) {
    void close() {
      inputs.forEach(InputFile::close);
    }
  }

  private RecordingInput(List<Path> paths, Set<Ability> wanted) {
    this.paths = List.copyOf(paths);
    this.wanted = wanted;
    List<RecordingKind> kinds = Members.KINDS.stream().filter(this::isWanted).toList();
    if (kinds.isEmpty()) {
      throw new IllegalArgumentException("no source for " + wanted);
    }
    if (kinds.size() > 1 && paths.size() > 1) {
      refuseAmongOthers();
    }
    // What no content shows is an ETW recording, so that opening it reports the problem.
    this.kind = kinds.size() == 1 || paths.size() > 1 ? kinds.getLast() : sniff(kinds);
  }

  /**
   * Finds out what some files are. Problems are reported when they are opened.
   *
   * @param paths one file, or several that make one ETW recording; plain or packed
   * @param wanted what is to be asked: the recording has to have one of these abilities
   * @throws CannotGoOn if there is more than one file and a call recording among them
   */
  public static RecordingInput of(List<Path> paths, Ability... wanted) {
    if (paths.isEmpty()) {
      throw new IllegalArgumentException("no files");
    }
    return new RecordingInput(paths, Set.of(wanted));
  }

  /**
   * Opens an ETW recording.
   *
   * @throws CannotGoOn if one of the files is none, or cannot be opened, or they are not parts of
   *     one recording
   */
  public static EtwRecording openEtw(List<Path> paths) {
    try (RecordingInput input = of(paths, Ability.EVENTS)) {
      return input.open(EtwRecording.class);
    }
  }

  /**
   * Takes several files for parts of one recording, whatever speaks against it.
   *
   * @param is false: they are refused if anything does
   */
  public RecordingInput together(boolean is) {
    together = is;
    return this;
  }

  /**
   * Opens a call recording.
   *
   * @throws CannotGoOn if it is none, or cannot be opened
   */
  public static CallRecording openCalls(Path path) {
    try (RecordingInput input = of(List.of(path), Ability.CALLS)) {
      return input.open(CallRecording.class);
    }
  }

  /**
   * Opens a dump.
   *
   * @throws CannotGoOn if it is none, or cannot be opened
   */
  public static DumpRecording openDump(Path path) {
    try (RecordingInput input = of(List.of(path), Ability.MEMORY)) {
      return input.open(DumpRecording.class);
    }
  }

  /**
   * Returns true if a file is an ETW recording, or is named like one and its bytes are not those of
   * another kind; so is a file that has to be opened first: missing, damaged or compressed.
   */
  public static boolean isEtw(Path path) {
    boolean isNamed = Members.isEtwName(path);
    if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
      return isNamed;
    }
    try (InputFile input = InputFile.map(path, path.toString())) {
      return switch (FileKind.of(input)) {
        case ETL -> true;
        case IMAGE, PDB, DUMP -> false;
        default -> isNamed;
      };
    } catch (IOException e) {
      return isNamed;
    }
  }

  /** Returns true if the recording will have an ability; before it is opened. */
  public boolean has(Ability ability) {
    return kind.has(ability);
  }

  /** The files. */
  public List<Path> paths() {
    return paths;
  }

  /**
   * Opens the recording. It is closed by the caller, and does not need this any more.
   *
   * @throws CannotGoOn if it is not one with an ability that is wanted, or cannot be opened
   */
  public Recording open() {
    return switch (kind) {
      case ETW -> etw();
      case CALLS -> calls();
      case DUMP -> dump();
      case COLLAPSED -> collapsed();
      case PT -> throw new IllegalStateException("no source for " + kind);
    };
  }

  /**
   * Opens the recording as one that has an ability: see {@link Recording#ability}. It is closed by
   * the caller, and does not need this any more.
   *
   * @throws CannotGoOn if it cannot be opened
   */
  public <A extends Recording> A open(Class<A> ability) {
    Recording recording = open();
    return recording
        .ability(ability)
        .orElseThrow(() -> {
          recording.close();
          return new IllegalStateException(kind + " is not " + ability);
        });
  }

  private boolean isWanted(RecordingKind candidate) {
    return wanted.stream().anyMatch(candidate::has);
  }

  /** Calls and dumps are recordings of one file; many others need not be unpacked to find out. */
  private void refuseAmongOthers() {
    for (Path path : paths) {
      String name = Members.unpackedName(path);
      if (Members.isCalls(name) && isAll(path, RecordingKind.CALLS)) {
        throw amongOthers(path, "a call recording");
      }
      if (Members.isDump(name) && isAll(path, RecordingKind.DUMP)) {
        throw amongOthers(path, "a dump");
      }
    }
  }

  private static CannotGoOn amongOthers(Path path, String noun) {
    return CannotGoOn.of(
        Reason.TOO_MANY_FILES,
        path.toString(),
        noun + " cannot be read together with other files, and " + path + " is one",
        "name it alone");
  }

  private RecordingKind sniff(List<RecordingKind> kinds) {
    Path path = paths.getFirst();
    if (!Files.isRegularFile(path)) {
      return RecordingKind.ETW;
    }
    for (RecordingKind candidate : kinds) {
      Members names = new Members(path, candidate, kinds);
      if (candidate == RecordingKind.ETW) {
        break;
      }
      Content found;
      try {
        Gaps gaps = new Gaps();
        found = new Content(Archives.open(path, names, gaps), gaps);
      } catch (CannotGoOn e) {
        if (names.wereAsked()) {
          continue;
        }
        // It is reported when it is opened.
        break;
      }
      if (!names.wereAsked()) {
        content = found;
        return kindOf(found.inputs.getFirst(), path, kinds);
      }
      if (isAll(found.inputs, candidate)) {
        content = found;
        return candidate;
      }
      found.close();
    }
    return RecordingKind.ETW;
  }

  /** Returns the kind of a file that is not an archive of several. */
  private static RecordingKind kindOf(InputFile input, Path path, List<RecordingKind> kinds) {
    if (input.size() == 0) {
      boolean isText = kinds.contains(RecordingKind.COLLAPSED) && Members.isCollapsedName(path);
      return isText ? RecordingKind.COLLAPSED : RecordingKind.ETW;
    }
    RecordingKind found = FileKind.of(input).recording();
    return found != null && kinds.contains(found) ? found : RecordingKind.ETW;
  }

  private static boolean isAll(List<InputFile> inputs, RecordingKind kind) {
    boolean fits = kind == RecordingKind.COLLAPSED ? inputs.size() == 1 : !inputs.isEmpty();
    return fits && inputs.stream().allMatch(input -> FileKind.of(input).recording() == kind);
  }

  private static boolean isAll(Path path, RecordingKind kind) {
    if (!Files.isRegularFile(path)) {
      return false;
    }
    List<InputFile> inputs = List.of();
    try {
      inputs = Archives.open(path, new Members(path, kind), new Gaps());
      return isAll(inputs, kind);
    } catch (CannotGoOn e) {
      // The reader of its kind reports the reason.
      return false;
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private Content content(RecordingKind wantedKind) {
    Content known = content;
    content = null;
    if (known != null) {
      return known;
    }
    Path path = paths.getFirst();
    Gaps gaps = new Gaps();
    return new Content(Archives.open(path, new Members(path, wantedKind), gaps), gaps);
  }

  private EtwRecording etw() {
    List<EtlFile> files = new ArrayList<>();
    try {
      Content known = content;
      content = null;
      Gaps gaps = known == null ? new Gaps() : known.gaps;
      for (Path path : paths) {
        MemberChoice members = new Members(path, RecordingKind.ETW);
        add(known == null ? Archives.open(path, members, gaps) : known.inputs, files, gaps);
      }
      if (!together) {
        RecordingContradictions.of(files).ifPresent(this::refuseTogether);
      }
      return EtwRecording.ofFiles(files, gaps);
    } catch (RuntimeException e) {
      files.forEach(EtlFile::close);
      if (e instanceof CannotGoOn) {
        refuseOthers();
      }
      throw e;
    }
  }

  private void refuseTogether(Contradiction why) {
    Set<String> names = paths.stream().map(Path::toString).collect(toSet());
    boolean isMember = !names.containsAll(List.of(why.first(), why.second()));
    throw CannotGoOn.of(
        Reason.NOT_TOGETHER,
        paths.getFirst().toString(),
        why.text()
            + ": they are not one recording (--together reads them as one all the same)"
            + (isMember ? "; unpacked, they can be compared with ntrail diff" : ""),
        isMember
            ? "--together"
            : "ntrail diff " + ShellWords.file(why.first()) + " " + ShellWords.file(why.second()));
  }

  /** Opens the files in one path: one that is none among others is a gap. */
  private static void add(List<InputFile> inputs, List<EtlFile> files, Gaps gaps) {
    int opened = 0;
    int before = files.size();
    CannotGoOn first = null;
    try {
      for (InputFile input : inputs) {
        opened++;
        Refusal refusal = new Refusal(input);
        long size = input.size() == 0 ? -1 : input.size();
        try {
          files.add(EtlFile.open(input, gaps));
        } catch (CannotGoOn e) {
          if (e.reason() == Reason.INTERRUPTED || e.reason() == Reason.NOT_POSSIBLE) {
            // The file is not to blame, and others would meet the same.
            throw e;
          }
          CannotGoOn why = e.reason() == Reason.OTHER_KIND ? refusal.notARecording() : e;
          gaps.add(why.ofMember(input.name(), size));
          first = first == null ? why : first;
        }
      }
      if (first != null && files.size() == before) {
        throw first;
      }
    } catch (RuntimeException e) {
      inputs.subList(opened, inputs.size()).forEach(InputFile::close);
      throw e;
    }
  }

  /** A question that was put to the wrong kind has a better answer than what went wrong. */
  private void refuseOthers() {
    for (Path path : paths) {
      if (!isWanted(RecordingKind.CALLS) && isAll(path, RecordingKind.CALLS)) {
        throw CannotGoOn.of(
            Reason.OTHER_KIND,
            path.toString(),
            path + " is a call recording: it has no events",
            "ntrail calls " + ShellWords.file(path));
      }
      if (!isWanted(RecordingKind.DUMP)) {
        refuseDump(path);
      }
    }
  }

  private void refuseDump(Path path) {
    if (!Files.isRegularFile(path)) {
      return;
    }
    List<InputFile> inputs = List.of();
    try {
      inputs = Archives.open(path, new Members(path, RecordingKind.DUMP), new Gaps());
    } catch (CannotGoOn e) {
      // The reader of its kind reports the reason.
      return;
    }
    try {
      if (isAll(inputs, RecordingKind.DUMP)) {
        String missing = wanted.stream().map(Ability::noun).sorted().findFirst().orElseThrow();
        throw new Refusal(inputs.getFirst()).dumpWithout(missing, path);
      }
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  private CallRecording calls() {
    Path path = paths.getFirst();
    Content opened;
    try {
      opened = content(RecordingKind.CALLS);
    } catch (CannotGoOn e) {
      refuseOthers();
      throw e;
    }
    InputFile input = only(opened, "call recordings");
    return switch (input.size() == 0 ? FileKind.OTHER : FileKind.of(input)) {
      case NTR -> new CallRecording(new NtrCalls(NtrFile.open(input, opened.gaps), opened.gaps));
      case JTRC -> new CallRecording(new JtrcCalls(JtrcFile.open(input, opened.gaps), opened.gaps));
      default -> {
        CannotGoOn refusal = new Refusal(input).notACallRecording(path);
        opened.close();
        refuseOthers();
        throw refusal;
      }
    };
  }

  private DumpRecording dump() {
    Path path = paths.getFirst();
    Content opened = content(RecordingKind.DUMP);
    InputFile input = only(opened, "dumps");
    if (input.size() == 0 || FileKind.of(input) != FileKind.DUMP) {
      CannotGoOn refusal = new Refusal(input).notADump(path);
      opened.close();
      throw refusal;
    }
    return DumpRecording.open(input, opened.gaps);
  }

  /** Returns the one file of a recording that is made of one. */
  private InputFile only(Content opened, String noun) {
    if (opened.inputs.size() != 1) {
      opened.close();
      String path = paths.getFirst().toString();
      throw CannotGoOn.of(
          Reason.ARCHIVE_MEMBERS,
          path,
          path + " contains " + opened.inputs.size() + " " + noun,
          "unpack it and name one");
    }
    return opened.inputs.getFirst();
  }

  private CollapsedRecording collapsed() {
    Content opened = content(RecordingKind.COLLAPSED);
    return new CollapsedRecording(opened.inputs.getFirst(), opened.gaps);
  }

  @Override
  public void close() {
    Content known = content;
    content = null;
    if (known != null) {
      known.close();
    }
  }
}

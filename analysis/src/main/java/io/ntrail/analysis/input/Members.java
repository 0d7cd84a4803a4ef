package io.ntrail.analysis.input;

import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.identity.FileSignature;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The members of an archive that may be a recording of a kind, by their names: an archive holds
 * other files, too, and unpacking all of them to look at their bytes would take long. Then their
 * first bytes decide. Remembers whether it was asked: of a file that holds a single one it is not.
 */
final class Members implements MemberChoice {
  /** Kinds that have a source, in the order in which they are looked for. */
  static final List<RecordingKind> KINDS =
      List.of(RecordingKind.CALLS, RecordingKind.DUMP, RecordingKind.COLLAPSED, RecordingKind.ETW);

  private final Path path;
  private final RecordingKind kind;
  private final Set<RecordingKind> alone;
  private final Predicate<String> names;
  private boolean asked;

  /**
   * Chooses members of a kind.
   *
   * @param path of the file, for refusals
   */
  Members(Path path, RecordingKind kind) {
    this(path, kind, List.of(kind));
  }

  /**
   * Chooses members of a kind, or a file that is not an archive of several and is of any of some
   * kinds.
   */
  Members(Path path, RecordingKind kind, List<RecordingKind> alone) {
    this.path = path;
    this.kind = kind;
    this.alone = Set.copyOf(alone);
    this.names =
        switch (kind) {
          case CALLS -> Members::isCalls;
          case COLLAPSED -> Members::isCollapsed;
          case ETW -> Members::isEtw;
          case DUMP -> Members::isDump;
          case PT -> throw new IllegalArgumentException("no source for " + kind);
        };
  }

  /** Returns true for the name of an ETW recording, in lower case. */
  static boolean isEtw(String name) {
    return name.endsWith(".etl");
  }

  /** Returns true for the name of a call recording, in lower case. */
  static boolean isCalls(String name) {
    return name.endsWith(".ntr") || name.endsWith(".jtrc");
  }

  /** Returns true for the name of a dump, in lower case. */
  static boolean isDump(String name) {
    return name.endsWith(".dmp") || name.endsWith(".mdmp") || name.endsWith(".hdmp");
  }

  /** Returns true for the name of a file of collapsed stacks, in lower case. */
  static boolean isCollapsed(String name) {
    return name.endsWith(".txt") || name.endsWith(".collapsed") || name.endsWith(".folded");
  }

  @Override
  public boolean accepts(String lowerCaseName) {
    asked = true;
    return names.test(lowerCaseName);
  }

  /**
   * Looks further only for a recording of events whose first buffer is destroyed, and for texts
   * with long lines.
   */
  @Override
  public boolean decide(InputFile head, boolean isLast) {
    FileKind found = FileKind.of(head);
    RecordingKind recording = found.recording();
    Set<RecordingKind> kinds = asked ? Set.of(kind) : alone;
    if (recording != null && kinds.contains(recording)) {
      return true;
    }
    if (kinds.contains(RecordingKind.ETW) && EtlFile.hasBuffers(head)) {
      return true;
    }
    FileSignature signature = FileSignature.of(head);
    boolean isUnclear = signature == FileSignature.UNKNOWN || signature == FileSignature.TEXT;
    if (recording == null && isUnclear && !isLast) {
      return false;
    }
    throw refusal(head, kinds);
  }

  private CannotGoOn refusal(InputFile head, Set<RecordingKind> kinds) {
    Refusal refusal = new Refusal(head);
    if (kinds.contains(RecordingKind.ETW)) {
      return refusal.notARecording();
    }
    return kinds.contains(RecordingKind.CALLS)
        ? refusal.notACallRecording(path)
        : refusal.notADump(path);
  }

  /** Returns true if the file holds members that were requested by name. */
  boolean wereAsked() {
    return asked;
  }

  /** Returns true for the name of a file of collapsed stacks: an empty one has nothing else. */
  static boolean isCollapsedName(Path path) {
    return isCollapsed(path.toString().toLowerCase(Locale.ROOT));
  }

  /** Returns true for the name of an ETW recording, also in an archive. */
  static boolean isEtwName(Path path) {
    String name = String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT);
    return name.matches(".*\\.etl(\\.gz|\\.zip)?") || name.endsWith(".diagsession");
  }

  /** Returns the last part of a path in lower case, without what a compressor added. */
  static String unpackedName(Path path) {
    String name = String.valueOf(path.getFileName()).toLowerCase(Locale.ROOT);
    return name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
  }
}

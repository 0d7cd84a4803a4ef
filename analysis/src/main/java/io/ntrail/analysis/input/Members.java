package io.ntrail.analysis.input;

import io.ntrail.analysis.model.RecordingKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The members of an archive that may be a recording of a kind, by their names: an archive holds
 * other files, too, and unpacking all of them to look at their bytes would take long. Remembers
 * whether it was asked: of a file that holds a single one it is not.
 */
final class Members implements Predicate<String> {
  /** Kinds that have a source, in the order in which they are looked for. */
  static final List<RecordingKind> KINDS =
      List.of(RecordingKind.CALLS, RecordingKind.COLLAPSED, RecordingKind.ETW);

  private final Predicate<String> names;
  private boolean asked;

  Members(RecordingKind kind) {
    this.names =
        switch (kind) {
          case CALLS -> Members::isCalls;
          case COLLAPSED -> Members::isCollapsed;
          case ETW -> Members::isEtw;
          case DUMP, PT -> throw new IllegalArgumentException("no source for " + kind);
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

  /** Returns true for the name of a file of collapsed stacks, in lower case. */
  static boolean isCollapsed(String name) {
    return name.endsWith(".txt") || name.endsWith(".collapsed") || name.endsWith(".folded");
  }

  @Override
  public boolean test(String lowerCaseName) {
    asked = true;
    return names.test(lowerCaseName);
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

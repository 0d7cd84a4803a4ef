package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.cab.Cabinet;
import io.ntrail.formats.cab.CabinetFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Opens files out of a cabinet, or of the set of cabinets that it belongs to. */
final class CabinetMembers {
  /** Beyond what the smallest blocks can hold: 8 bytes for 32,768. */
  private static final long LARGEST_RATIO = 4096;

  private CabinetMembers() {}

  static void open(Path path, String name, MemberChoice choice, Gaps gaps, List<InputFile> opened)
      throws IOException {
    List<InputFile> inputs = new ArrayList<>();
    try {
      set(path, name, inputs);
      open(inputs, name, choice, gaps, opened);
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  static void open(
      List<InputFile> inputs, String name, MemberChoice choice, Gaps gaps, List<InputFile> opened)
      throws IOException {
    try (Cabinet cabinet = Cabinet.open(inputs, gaps)) {
      long packed = inputs.stream().mapToLong(InputFile::size).sum();
      unpack(cabinet, name, packed, choice, gaps, opened);
    }
  }

  private static void unpack(
      Cabinet cabinet,
      String name,
      long packed,
      MemberChoice choice,
      Gaps gaps,
      List<InputFile> opened)
      throws IOException {
    List<CabinetFile> files = cabinet.files();
    // A file packed for a symbol server is alone, and often has another name than it should.
    List<CabinetFile> chosen =
        files.size() == 1
            ? files
            : files.stream()
                .filter(file -> choice.accepts(file.name().toLowerCase(Locale.ROOT)))
                .toList();
    if (chosen.isEmpty()) {
      throw CannotGoOn.of(
          CannotGoOn.Reason.ARCHIVE_MEMBERS,
          name,
          name
              + " is a cabinet that contains no file to read"
              + (files.isEmpty() ? "" : " (it contains " + files.getFirst().name() + ", ...)"),
          "");
    }
    if (unpacked(chosen) / LARGEST_RATIO > packed) {
      throw new CannotGoOn(name + " claims more data than its size can hold", "get a new copy");
    }
    MemberInflation inflation = new MemberInflation(choice, gaps);
    List<String> refused = new ArrayList<>();
    for (CabinetFile file : chosen) {
      String member = name + "!/" + file.name();
      String refusal = cabinet.refusal(file);
      if (!refusal.isEmpty()) {
        refused.add(member + " " + refusal);
        gaps.add(new Gap(member, 0, file.size(), "compressed file", "it " + refusal));
        continue;
      }
      try (InputStream in = cabinet.open(file, file.size())) {
        inflation.inflate(in, member, opened);
      }
    }
    inflation.finish(opened);
    if (opened.isEmpty()) {
      throw new CannotGoOn(refused.getFirst(), Cabinet.REFUSED_NEXT_STEP);
    }
  }

  /** Returns the bytes to unpack for some files: folders are unpacked from their beginnings. */
  private static long unpacked(List<CabinetFile> chosen) {
    Map<Integer, Long> ends = new HashMap<>();
    for (CabinetFile file : chosen) {
      ends.merge(file.folder(), file.offset() + file.size(), Math::max);
    }
    return ends.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Collects the cabinet, and those of its set that are in the same folder, in their order. */
  private static void set(Path path, String name, List<InputFile> inputs) throws IOException {
    Deque<InputFile> found = new ArrayDeque<>();
    try {
      found.add(InputFile.map(path, name));
      Set<Path> seen = new HashSet<>(Set.of(path));
      int count = follow(path, seen, found, true, 0);
      follow(path, seen, found, false, count);
    } finally {
      inputs.addAll(found);
    }
  }

  /**
   * Adds the next cabinets, or the previous ones.
   *
   * @param before number of files in those that were looked at, the first one among them
   * @return number of files then
   */
  private static int follow(
      Path path, Set<Path> seen, Deque<InputFile> found, boolean forward, int before)
      throws IOException {
    int count = before;
    boolean isCounted = before > 0;
    while (true) {
      InputFile end = forward ? found.getLast() : found.getFirst();
      String other;
      try (Cabinet cabinet = Cabinet.open(end, new Gaps())) {
        other = forward ? cabinet.next() : cabinet.previous();
        count += isCounted ? 0 : cabinet.files().size();
        isCounted = false;
      }
      if (count > ZipDirectory.MOST_MEMBERS) {
        throw ZipDirectory.tooMany(end.name(), "%,d".formatted(count));
      }
      Optional<Path> beside = beside(path, other);
      if (beside.isEmpty() || !seen.add(beside.get())) {
        return count;
      }
      InputFile input = InputFile.map(beside.get(), beside.get().toString());
      if (!(forward ? Cabinet.follows(end, input) : Cabinet.follows(input, end))) {
        input.close();
        return count;
      }
      if (forward) {
        found.addLast(input);
      } else {
        found.addFirst(input);
      }
    }
  }

  /**
   * Finds another cabinet of the set in the same folder. Only the file name is taken from a
   * cabinet: a path in it leads nowhere.
   */
  private static Optional<Path> beside(Path path, String other) {
    String name = CabinetFile.lastPart(other);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Stream.of(name, name.toLowerCase(Locale.ROOT))
          .map(path::resolveSibling)
          .filter(Files::isRegularFile)
          .findFirst();
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}

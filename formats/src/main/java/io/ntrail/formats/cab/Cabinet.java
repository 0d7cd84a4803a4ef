package io.ntrail.formats.cab;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.cab.CabinetVolume.RawFile;
import io.ntrail.formats.cab.CabinetVolume.RawFolder;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A Microsoft cabinet, or a set of several that follow each other.
 *
 * <p>Its inputs must stay open as long as it is used; they are not closed with it. Files are
 * unpacked one after the other; that is quick in the order of {@link #files}, because those of a
 * folder are packed as one. For one thread.
 */
public final class Cabinet implements AutoCloseable {
  /** Next step to suggest where a file is refused. */
  public static final String REFUSED_NEXT_STEP =
      "put all cabinets of the set into one folder, or unpack it with cabextract or 7z";

  private final List<CabinetVolume> parts;
  private final List<CabinetFolder> folders;
  private final List<CabinetFile> files;
  private Optional<FolderReader> reader = Optional.empty();
  private int readerFolder;

  private Cabinet(List<CabinetVolume> parts, List<CabinetFolder> folders, List<CabinetFile> files) {
    this.parts = parts;
    this.folders = folders;
    this.files = files;
  }

  /**
   * Opens a cabinet.
   *
   * @param gaps receives what of its tables could not be read
   * @throws CannotGoOn if it is none, or its header is damaged
   */
  public static Cabinet open(InputFile input, Gaps gaps) {
    return open(List.of(input), gaps);
  }

  /**
   * Opens cabinets of a set.
   *
   * @param inputs in their order; if one between them is missing, files in it are refused when they
   *     are opened
   * @param gaps receives what of their tables could not be read
   * @throws CannotGoOn if one of them is not a cabinet, or its header is damaged
   */
  public static Cabinet open(List<InputFile> inputs, Gaps gaps) {
    List<CabinetVolume> parts =
        inputs.stream().map(input -> CabinetVolume.read(input, gaps)).toList();
    List<CabinetFolder> folders = new ArrayList<>();
    List<CabinetFile> files = new ArrayList<>();
    boolean goesOn = false;
    for (int i = 0; i < parts.size(); i++) {
      CabinetVolume part = parts.get(i);
      boolean hasNext = i + 1 < parts.size() && isNext(part, parts.get(i + 1));
      goesOn = add(part, goesOn, hasNext, folders, files);
    }
    return new Cabinet(parts, List.copyOf(folders), inOrder(files, parts.getFirst(), gaps));
  }

  /** Returns true if both are cabinets of one set, and the second is the next one. */
  public static boolean follows(InputFile input, InputFile next) {
    try {
      return isNext(CabinetVolume.read(input, new Gaps()), CabinetVolume.read(next, new Gaps()));
    } catch (CannotGoOn e) {
      return false;
    }
  }

  private static boolean isNext(CabinetVolume part, CabinetVolume next) {
    return part.set() == next.set()
        && part.index() + 1 == next.index()
        && !part.next().isEmpty()
        && !next.previous().isEmpty();
  }

  /**
   * Adds the content of one cabinet.
   *
   * @param goesOn whether its first folder continues the last one so far
   * @param hasNext whether the next cabinet is there
   * @return whether its last folder continues in the next one
   */
  private static boolean add(
      CabinetVolume part,
      boolean goesOn,
      boolean hasNext,
      List<CabinetFolder> folders,
      List<CabinetFile> files) {
    boolean fromPrevious = part.files().stream().anyMatch(RawFile::fromPrevious);
    boolean toNext = part.files().stream().anyMatch(RawFile::toNext);
    int first = goesOn ? folders.size() - 1 : folders.size();
    int last = part.folders().size() - 1;
    for (int i = 0; i <= last; i++) {
      RawFolder raw = part.folders().get(i);
      String behind = i == last && toNext && !hasNext ? part.next() : "";
      if (i == 0 && goesOn) {
        CabinetFolder begun = folders.removeLast();
        List<CabinetFolder.Piece> pieces = new ArrayList<>(begun.pieces());
        pieces.add(raw.piece());
        folders.add(new CabinetFolder(begun.type(), pieces, begun.lackingBefore(), behind));
      } else {
        String before = i == 0 && fromPrevious ? part.previous() : "";
        folders.add(new CabinetFolder(raw.type(), List.of(raw.piece()), before, behind));
      }
    }
    for (RawFile raw : part.files()) {
      CabinetFile file = raw.file();
      // A file that starts in the previous cabinet was reported there.
      if (!(goesOn && raw.fromPrevious())) {
        files.add(
            new CabinetFile(
                file.name(),
                file.size(),
                file.modified(),
                file.attributes(),
                first + file.folder(),
                file.offset()));
      }
    }
    return toNext && hasNext;
  }

  /**
   * Returns the files that do not overlap, by place: otherwise a small cabinet could hold any
   * number of large ones.
   *
   * @param first of the set, for gaps
   */
  private static List<CabinetFile> inOrder(
      List<CabinetFile> files, CabinetVolume first, Gaps gaps) {
    List<CabinetFile> sorted = new ArrayList<>(files);
    sorted.sort(
        Comparator.comparingInt(CabinetFile::folder).thenComparingLong(CabinetFile::offset));
    List<CabinetFile> kept = new ArrayList<>();
    int folder = -1;
    long end = 0;
    for (CabinetFile file : sorted) {
      if (file.folder() != folder) {
        folder = file.folder();
        end = 0;
      }
      if (file.offset() < end) {
        gaps.add(
            new Gap(
                first.input().name() + "!/" + file.name(),
                0,
                file.size(),
                "file of a cabinet",
                "its data overlap another file"));
      } else {
        kept.add(file);
        end = file.offset() + file.size();
      }
    }
    return List.copyOf(kept);
  }

  /** The files, in the order of their data. */
  public List<CabinetFile> files() {
    return files;
  }

  /** Returns the name of the cabinet before the first of these in its set, or empty. */
  public String previous() {
    return parts.getFirst().previous();
  }

  /** Returns the name of the cabinet after the last of these in its set, or empty. */
  public String next() {
    return parts.getLast().next();
  }

  /**
   * Returns the reason why a file cannot be unpacked, as words that follow its name; empty if it
   * can.
   */
  public String refusal(CabinetFile file) {
    CabinetFolder folder = folders.get(file.folder());
    return folder.lackingBefore().isEmpty()
        ? folder.refusal()
        : "starts in another cabinet of its set: " + folder.lackingBefore();
  }

  /**
   * Unpacks a file while it is read. A stream that was opened before ends here; closing it does
   * nothing. Damage ends it with {@link io.ntrail.formats.bytes.DamagedInput}, which names the
   * place in the cabinet, after everything before it was delivered.
   *
   * @param file one of {@link #files}
   * @param limit the most bytes it may have
   * @throws CannotGoOn if it is larger, if its compression is not supported, or if it is in a
   *     cabinet that is missing
   */
  public InputStream open(CabinetFile file, long limit) {
    String what = file.name() + " in " + parts.getFirst().input().name();
    String refusal = refusal(file);
    if (!refusal.isEmpty()) {
      throw new CannotGoOn(what + " " + refusal, REFUSED_NEXT_STEP);
    }
    if (file.size() > limit) {
      throw new CannotGoOn(
          what + " has " + file.size() + " bytes, more than the " + limit + " allowed", "");
    }
    FolderReader now =
        reader
            .filter(r -> readerFolder == file.folder() && r.before() <= file.offset())
            .orElseGet(() -> start(file.folder()));
    return new MemberStream(now, file.offset(), file.size());
  }

  private FolderReader start(int folder) {
    close();
    FolderReader started = new FolderReader(folders.get(folder));
    reader = Optional.of(started);
    readerFolder = folder;
    return started;
  }

  @Override
  public void close() {
    reader.ifPresent(FolderReader::close);
    reader = Optional.empty();
  }
}

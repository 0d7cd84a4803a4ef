package io.ntrail.formats.cab;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.cab.CabinetFolder.Piece;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Header and tables of one cabinet, single or one of a set.
 *
 * @param set id that the cabinets of a set share
 * @param index number of the cabinet in the set, from 0
 * @param previous name of the previous cabinet, or empty
 * @param next name of the next cabinet, or empty
 */
record CabinetVolume(
    InputFile input,
    int set,
    int index,
    String previous,
    String next,
    List<RawFolder> folders,
    List<RawFile> files) {
  private static final int HEADER = 36;
  private static final int HAS_PREVIOUS = 1;
  private static final int HAS_NEXT = 2;
  private static final int HAS_RESERVES = 4;

  private static final int FOLDER = 8;
  private static final int FILE = 16;
  private static final int LONGEST_NAME = 1024;
  private static final int NAME_IS_UTF8 = 0x80;

  /** The part of a folder that is in this cabinet. */
  record RawFolder(int type, Piece piece) {}

  /**
   * A file entry.
   *
   * @param file with the number of the folder in this cabinet
   * @param fromPrevious whether it starts in the previous cabinet
   * @param toNext whether it continues in the next cabinet
   */
  record RawFile(CabinetFile file, boolean fromPrevious, boolean toNext) {}

  static boolean looksLike(InputFile input) {
    return input.size() >= HEADER
        && new String(input.window(0, 4).array(0, 4), StandardCharsets.ISO_8859_1).equals("MSCF");
  }

  static CabinetVolume read(InputFile input, Gaps gaps) {
    if (!looksLike(input)) {
      throw new CannotGoOn(
          input.name() + " is not a cabinet: it does not start with MSCF",
          "readable: .cab, .pd_, .dl_, .ex_, .sy_");
    }
    try {
      return new Reader(input, gaps).read();
    } catch (DamagedInput e) {
      throw new CannotGoOn(
          input.name() + " is a damaged cabinet: at offset " + e.offset() + ": " + e.what(),
          "get a new copy");
    }
  }

  /** Goes through the tables of a cabinet. */
  private static final class Reader {
    private final InputFile input;
    private final Gaps gaps;
    private long at;

    Reader(InputFile input, Gaps gaps) {
      this.input = input;
      this.gaps = gaps;
    }

    CabinetVolume read() {
      Bytes header = input.window(0, HEADER);
      long told = header.u32(8);
      if (told > input.size()) {
        gaps.add(
            new Gap(
                input.name(),
                input.size(),
                told - input.size(),
                "cabinet",
                "truncated: its header claims " + told + " bytes"));
      }
      int flags = header.u16(30);
      at = HEADER;
      int folderReserve = 0;
      int dataReserve = 0;
      if ((flags & HAS_RESERVES) != 0) {
        Bytes reserves = input.window(at, 4);
        folderReserve = reserves.u8(2);
        dataReserve = reserves.u8(3);
        at += 4 + reserves.u16(0);
      }
      String previous = (flags & HAS_PREVIOUS) == 0 ? "" : cabinetAndDisk();
      String next = (flags & HAS_NEXT) == 0 ? "" : cabinetAndDisk();
      List<RawFolder> folders = new ArrayList<>();
      for (int i = header.u16(26); i > 0; i--) {
        Bytes folder = input.window(at, FOLDER);
        folders.add(
            new RawFolder(
                folder.u16(6), new Piece(input, folder.u32(0), folder.u16(4), dataReserve)));
        at += FOLDER + folderReserve;
      }
      at = header.u32(16);
      return new CabinetVolume(
          input,
          header.u16(32),
          header.u16(34),
          previous,
          next,
          List.copyOf(folders),
          files(header.u16(28), folders.size()));
    }

    /** The name of another cabinet of the set; where it lay does not matter. */
    private String cabinetAndDisk() {
      String cabinet = text(StandardCharsets.ISO_8859_1);
      text(StandardCharsets.ISO_8859_1);
      return cabinet.isEmpty() ? "a cabinet without a name" : cabinet;
    }

    private String text(java.nio.charset.Charset charset) {
      int most = (int) Math.min(LONGEST_NAME, Math.max(0, input.size() - at));
      Bytes window = input.window(at, most);
      int length = window.byteStringLength(0, most);
      if (length == most) {
        throw new DamagedInput(input.name(), at, "a name is not terminated");
      }
      at += length + 1;
      return new String(window.array(0, length), charset);
    }

    /** A damaged table gives the files before the damage. */
    private List<RawFile> files(int count, int folders) {
      List<RawFile> files = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        long entry = at;
        try {
          Optional<RawFile> file = file(folders);
          if (file.isPresent()) {
            files.add(file.get());
          } else {
            gaps.add(
                new Gap(
                    input.name(),
                    entry,
                    at - entry,
                    "file of a cabinet",
                    "its folder does not exist"));
          }
        } catch (DamagedInput e) {
          gaps.add(
              new Gap(
                  input.name(),
                  entry,
                  -1,
                  "files of a cabinet",
                  "file %d of %d: %s".formatted(i + 1, count, e.what())));
          break;
        }
      }
      return List.copyOf(files);
    }

    private Optional<RawFile> file(int folders) {
      Bytes entry = input.window(at, FILE);
      at += FILE;
      int attributes = entry.u16(14);
      String name =
          text(
              (attributes & NAME_IS_UTF8) != 0
                  ? StandardCharsets.UTF_8
                  : StandardCharsets.ISO_8859_1);
      int told = entry.u16(8);
      // 0xFFFD continued from the previous cabinet, 0xFFFE to the next, 0xFFFF both.
      boolean fromPrevious = told == 0xFFFD || told == 0xFFFF;
      boolean toNext = told == 0xFFFE || told == 0xFFFF;
      int folder = fromPrevious ? 0 : toNext ? folders - 1 : told;
      if (folder < 0 || folder >= folders) {
        return Optional.empty();
      }
      CabinetFile file =
          new CabinetFile(
              name,
              entry.u32(0),
              modified(entry.u16(10), entry.u16(12)),
              attributes,
              folder,
              entry.u32(4));
      return Optional.of(new RawFile(file, fromPrevious, toNext));
    }

    private static Optional<LocalDateTime> modified(int date, int time) {
      try {
        return Optional.of(
            LocalDateTime.of(
                1980 + (date >>> 9),
                date >>> 5 & 15,
                date & 31,
                time >>> 11,
                time >>> 5 & 63,
                (time & 31) * 2));
      } catch (DateTimeException e) {
        return Optional.empty();
      }
    }
  }
}

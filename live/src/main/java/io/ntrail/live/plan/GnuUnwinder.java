package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The unwinder for C++ exceptions of GNU compilers in a 32-bit module, where it is of the model
 * DW2, which follows return addresses by {@code .eh_frame}: how it is told of the frames of slots.
 *
 * @param access how it can be reached
 * @param register RVA of {@code __register_frame_info} in the module, of {@link Access#OWN}; else
 *     -1
 * @param getIp RVA of {@code _Unwind_GetIP} in the module, or -1
 * @param end RVA of the zero that ends {@code .eh_frame}, of {@link Access#ROOM}; else -1
 * @param room bytes from there on, up to the end of the section's pages; what lies there the
 *     unwinder does not read
 */
public record GnuUnwinder(Access access, long register, long getIp, long end, int room) {
  /** The module has no exceptions of this kind. */
  public static final GnuUnwinder NONE = new GnuUnwinder(Access.NOT_NEEDED, -1, -1, -1, 0);

  /** Library with the unwinder that modules of a process share. */
  public static final String LIBRARY = "libgcc_s_dw2-1.dll";

  /** Bytes that a description of slots needs, with its end. */
  static final int LEAST_ROOM = 128;

  private static final Set<String> LIBRARIES = Set.of(LIBRARY, "libstdc++-6.dll");

  /** Name of a section whose long name is in the COFF string table, which is not in memory. */
  private static final Pattern LONG_NAME = Pattern.compile("/\\d+");

  private static final int PAGE = 0x1000;

  /** Bytes of a common information entry that are believed. */
  private static final int MOST_ENTRY = 256;

  /** Bytes of a section that are read. */
  private static final int MOST_BYTES = 64 << 20;

  private static final int MOST_AUGMENTATION = 8;

  /** Way to the unwinder. */
  public enum Access {
    /** No exception follows return addresses. */
    NOT_NEEDED,
    /** It is in {@value #LIBRARY}, which exports what is needed. */
    LIBRARY,
    /** It is in the module, whose symbols say where. */
    OWN,
    /** It reads the end of {@code .eh_frame} at its first exception; there is room for more. */
    ROOM,
    /** There is no way. */
    NONE
  }

  /**
   * Finds the unwinder of a module.
   *
   * @param names of functions by RVA, besides those of exports
   */
  public static GnuUnwinder of(PeImage image, Map<Long, String> names) {
    if (image.headers().machine() != MachineType.I386) {
      return NONE;
    }
    Frames frames = frames(image);
    boolean isImported = isImported(image);
    if (!frames.hasPersonality && !(isImported && frames.end >= 0)) {
      return NONE;
    }
    if (isImported) {
      return new GnuUnwinder(Access.LIBRARY, -1, -1, -1, 0);
    }
    long register = find(names, "register_frame_info");
    long getIp = find(names, "Unwind_GetIP");
    if (register >= 0) {
      return new GnuUnwinder(Access.OWN, register, getIp, -1, 0);
    }
    return frames.room >= LEAST_ROOM
        ? new GnuUnwinder(Access.ROOM, -1, getIp, frames.end, frames.room)
        : new GnuUnwinder(Access.NONE, -1, getIp, -1, 0);
  }

  /** Returns whether exceptions find their way through slots if tracing does what access says. */
  public boolean isReachable() {
    return access != Access.NONE;
  }

  private static boolean isImported(PeImage image) {
    return Imports.of(image).modules().stream()
        .anyMatch(module -> LIBRARIES.contains(module.name().toLowerCase(Locale.ROOT)));
  }

  /** Returns where a function is whose name begins with underscores; -1 if nobody says. */
  private static long find(Map<Long, String> names, String name) {
    return names.entrySet().stream()
        .filter(entry -> entry.getValue().replaceFirst("^_+", "").equals(name))
        .mapToLong(Map.Entry::getKey)
        .min()
        .orElse(-1);
  }

  /**
   * Frame descriptions of a module.
   *
   * @param hasPersonality whether one has a routine for exceptions: without, nothing is caught
   * @param end RVA of the zero at their end, or -1
   * @param room bytes from there on up to the end of the section's pages
   */
  private record Frames(boolean hasPersonality, long end, int room) {
    static final Frames NONE = new Frames(false, -1, 0);
  }

  private static Frames frames(PeImage image) {
    for (Section section : image.sections()) {
      boolean mayBe = section.name().equals(".eh_frame") || section.name().equals(".eh_fram");
      if (mayBe || LONG_NAME.matcher(section.name()).matches()) {
        Frames frames = frames(image, section);
        if (frames.end >= 0) {
          return frames;
        }
      }
    }
    return Frames.NONE;
  }

  /** Reads the descriptions in a section; none if something else is there. */
  private static Frames frames(PeImage image, Section section) {
    if (section.is(Section.DISCARDABLE) || section.size() > MOST_BYTES) {
      return Frames.NONE;
    }
    boolean hasPersonality = false;
    try {
      Bytes all = image.view().window(section.rva(), section.size());
      boolean isFirst = true;
      for (int at = 0; all.has(at, 4); isFirst = false) {
        long length = all.u32(at);
        if (length == 0) {
          return isFirst
              ? Frames.NONE
              : new Frames(hasPersonality, section.rva() + at, room(section, at));
        }
        if (!all.has(at + 4, (int) Math.min(length, Integer.MAX_VALUE - 8))) {
          return Frames.NONE;
        }
        boolean isCommon = all.u32(at + 4) == 0;
        if (isFirst && !(isCommon && length < MOST_ENTRY && (all.u8(at + 8) & ~2) == 1)) {
          return Frames.NONE;
        }
        hasPersonality |= isCommon && augmentation(all, at + 9).contains("P");
        at += 4 + (int) length;
      }
      // It ends with the section, or in what follows.
      return new Frames(hasPersonality, section.rva() + all.length(), 0);
    } catch (DamagedInput e) {
      return Frames.NONE;
    }
  }

  private static String augmentation(Bytes all, int at) {
    return all.latin1z(at, Math.min(all.length(), at + MOST_AUGMENTATION));
  }

  /** Returns the bytes from an offset up to the end of a section's pages. */
  private static int room(Section section, int at) {
    long end = section.size() + PAGE - 1 & -PAGE;
    return (int) Math.min(end - at, PAGE);
  }
}

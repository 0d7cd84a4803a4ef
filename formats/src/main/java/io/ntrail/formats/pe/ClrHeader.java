package io.ntrail.formats.pe;

import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.Optional;

/**
 * Header of managed code (IMAGE_COR20_HEADER, directory 14): required runtime, whether the image
 * has native code of its own, and whether it was compiled ahead of time.
 *
 * <p>Source: ECMA-335, II.25.3.3; for code compiled ahead of time the header readytorun.h of the
 * runtime.
 *
 * @param metadata range of the metadata
 * @param flags {@link #IL_ONLY} and its siblings
 * @param entryPoint a token, or with {@link #NATIVE_ENTRY_POINT} an RVA
 * @param managedNative range of the runtime's own header of compiled code
 * @param runtime the version in the metadata, such as {@code v4.0.30319}; empty if they cannot be
 *     read
 * @param code how the methods are stored
 */
public record ClrHeader(
    int majorVersion,
    int minorVersion,
    Range metadata,
    long flags,
    long entryPoint,
    Range resources,
    Range strongName,
    Range vtableFixups,
    Range managedNative,
    String runtime,
    Code code) {
  /** COMIMAGE_FLAGS_ILONLY. */
  public static final int IL_ONLY = 1;

  /** COMIMAGE_FLAGS_32BITREQUIRED. */
  public static final int REQUIRES_32_BIT = 2;

  /** COMIMAGE_FLAGS_IL_LIBRARY: compiled code, the intermediate language may be elsewhere. */
  public static final int IL_LIBRARY = 4;

  /** COMIMAGE_FLAGS_STRONGNAMESIGNED. */
  public static final int STRONG_NAME_SIGNED = 8;

  /** COMIMAGE_FLAGS_NATIVE_ENTRYPOINT. */
  public static final int NATIVE_ENTRY_POINT = 0x10;

  private static final int HEADER = 72;
  private static final long METADATA = 0x424A_5342L;
  private static final long READY_TO_RUN = 0x0052_5452L;
  private static final long NGEN = 0x0045_474EL;
  private static final int MOST_CHARS = 255;

  /** Storage of an image's methods. */
  public enum Code {
    /** In the intermediate language. */
    IL,
    /** In the intermediate language, beside machine code of C or C++. */
    MIXED,
    /** Also as native code, which versions of the runtime may use (ReadyToRun). */
    READY_TO_RUN,
    /** Also as native code for exactly one runtime of one machine (NGEN). */
    NGEN
  }

  /** Reads that of an image; empty if it is not managed. */
  public static Optional<ClrHeader> of(PeImage image) {
    Range range = image.directory(DataDirectory.CLR);
    return range.isPresent()
        ? image.reading("header of managed code", range.rva(), () -> read(image, range.rva()))
        : Optional.empty();
  }

  private static ClrHeader read(PeImage image, long at) {
    ImageView view = image.view();
    if (!view.has(at, HEADER)) {
      throw view.outside(at, HEADER);
    }
    Range metadata = range(view, at + 8);
    Range compiled = range(view, at + 64);
    long flags = view.u32(at + 16);
    return new ClrHeader(
        view.u16(at + 4),
        view.u16(at + 6),
        metadata,
        flags,
        view.u32(at + 20),
        range(view, at + 24),
        range(view, at + 32),
        range(view, at + 48),
        compiled,
        image.reading("metadata", metadata.rva(), "", () -> runtime(image, metadata)),
        image.reading("compiled code", compiled.rva(), Code.IL, () -> code(view, compiled, flags)));
  }

  private static Range range(ImageView view, long at) {
    return new Range(view.u32(at), view.u32(at + 4));
  }

  private static String runtime(PeImage image, Range metadata) {
    ImageView view = image.view();
    if (!metadata.isPresent()) {
      return "";
    }
    if (view.u32(metadata.rva()) != METADATA) {
      image.gap(metadata.rva(), -1, "metadata", "it does not start with BSJB");
      return "";
    }
    int length = (int) Math.min(MOST_CHARS, view.u32(metadata.rva() + 12));
    return view.text(metadata.rva() + 16, length);
  }

  private static Code code(ImageView view, Range compiled, long flags) {
    if (compiled.isPresent() && compiled.size() >= 4) {
      long signature = view.u32(compiled.rva());
      if (signature == READY_TO_RUN) {
        return Code.READY_TO_RUN;
      }
      if (signature == NGEN) {
        return Code.NGEN;
      }
    }
    return (flags & IL_ONLY) != 0 ? Code.IL : Code.MIXED;
  }

  /** Returns true if all bits of a flag are set. */
  public boolean is(int flag) {
    return (flags & flag) == flag;
  }
}

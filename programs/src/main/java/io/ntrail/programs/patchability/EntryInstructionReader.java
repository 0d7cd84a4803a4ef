package io.ntrail.programs.patchability;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the first instructions of functions, and notices who was there before. May be used by
 * several threads.
 */
final class EntryInstructionReader {
  private static final int INT3 = 0xCC;
  private static final int JMP_SHORT = 0xEB;
  private static final int JMP = 0xE9;
  private static final int JMP_BYTES = 5;
  private static final int SLOT_JMP_BYTES = 6;

  private final PeImage image;
  private final ImageView view;
  private final InstructionDecoder decoder;
  private final boolean wide;
  private final Map<Long, String> imports = new HashMap<>();

  EntryInstructionReader(PeImage image, Imports imports, InstructionDecoder decoder) {
    this.image = image;
    this.view = image.view();
    this.decoder = decoder;
    this.wide = image.headers().isWide();
    for (Imports.Module module : imports.modules()) {
      for (Imports.Symbol symbol : module.symbols()) {
        String name = symbol.name() != null ? symbol.name() : "#" + symbol.ordinal();
        this.imports.putIfAbsent(symbol.slot(), module.name() + "!" + name);
      }
    }
  }

  /** The first instructions, as many as a short jump overwrites. */
  EntryInstructions read(ImageFunction function) {
    return read(function, FunctionPatch.SHORT_JUMP);
  }

  /** The first instructions, as many as so many bytes overwrite. */
  EntryInstructions read(ImageFunction function, int overwritten) {
    long rva = function.rva();
    if (view.stored(rva) == 0) {
      return EntryInstructions.refused(0, PatchRefusal.NO_CODE, "");
    }
    Bytes bytes = view.window(rva, 2L * InstructionDecoder.LONGEST);
    Instruction instruction = new Instruction();
    int first = decoder.decode(bytes, 0, bytes.length(), instruction);
    if (first == 0) {
      return EntryInstructions.refused(
          0,
          bytes.length() < InstructionDecoder.LONGEST
              ? PatchRefusal.NO_CODE
              : PatchRefusal.NOT_CODE,
          "");
    }
    EntryInstructions jump = jump(rva, bytes, first);
    return jump != null ? jump : unit(function, bytes, first, overwritten, instruction);
  }

  private EntryInstructions unit(
      ImageFunction function, Bytes bytes, int first, int overwritten, Instruction instruction) {
    int length = 0;
    int count = 0;
    boolean relative = false;
    while (length < overwritten) {
      int size = decoder.decode(bytes, length, bytes.length(), instruction);
      if (size == 0) {
        return EntryInstructions.refused(
            first,
            bytes.length() - length < InstructionDecoder.LONGEST
                ? PatchRefusal.NO_CODE
                : PatchRefusal.NOT_CODE,
            "");
      }
      PatchRefusal refusal = PatchRefusal.of(instruction.flowClass());
      if (refusal != null) {
        String text =
            HexFormat.ofDelimiter(" ").withUpperCase().formatHex(bytes.array(length, size));
        return EntryInstructions.refused(first, refusal, text);
      }
      relative |= instruction.isRipRelative();
      length += size;
      count++;
    }
    if (function.bounded() && length > function.size()) {
      return EntryInstructions.refused(first, PatchRefusal.TOO_SHORT, function.size() + " bytes");
    }
    return new EntryInstructions(first, length, count, relative, null, "");
  }

  /** Returns the kind of a function that starts with a jump or a breakpoint; null for others. */
  private @Nullable EntryInstructions jump(long rva, Bytes bytes, int length) {
    int first = bytes.u8(0);
    if (first == INT3) {
      return EntryInstructions.refused(length, PatchRefusal.BREAKPOINT, "");
    }
    if (first == JMP_SHORT && length == 2) {
      long between = rva + 2 + (byte) bytes.u8(1);
      if (between < rva) {
        String far = far(between);
        if (far != null) {
          return EntryInstructions.refused(length, PatchRefusal.ALREADY_PATCHED, far);
        }
      }
      return null;
    }
    if (first == JMP && length == JMP_BYTES) {
      long target = target(rva, bytes, 1, length);
      return EntryInstructions.refused(
          length,
          isInside(target) ? PatchRefusal.JUMPS_ON : PatchRefusal.ALREADY_PATCHED,
          place(target));
    }
    if (CodeSweep.isThroughSlot(bytes, 0)) {
      long slot = slot(rva, bytes, length);
      boolean known = imports.containsKey(slot) || isInside(pointed(slot));
      return EntryInstructions.refused(
          length, known ? PatchRefusal.JUMPS_ON : PatchRefusal.ALREADY_PATCHED, through(slot));
    }
    return null;
  }

  /** Returns the target of the jump at an address; null if there is none. */
  private @Nullable String far(long rva) {
    if (view.stored(rva) < SLOT_JMP_BYTES) {
      return null;
    }
    Bytes bytes = view.window(rva, SLOT_JMP_BYTES);
    if (bytes.u8(0) == JMP) {
      return place(target(rva, bytes, 1, JMP_BYTES));
    }
    return bytes.u8(0) == 0xFF && bytes.u8(1) == 0x25
        ? through(slot(rva, bytes, SLOT_JMP_BYTES))
        : null;
  }

  private long target(long rva, Bytes bytes, int at, int length) {
    long target = rva + length + bytes.i32(at);
    return wide ? target : target & 0xFFFF_FFFFL;
  }

  private long slot(long rva, Bytes bytes, int length) {
    int displacement = bytes.i32(length - 4);
    return wide
        ? rva + length + displacement
        : (displacement & 0xFFFF_FFFFL) - image.headers().imageBase();
  }

  /** The RVA that a slot leads to, or -1. */
  private long pointed(long slot) {
    int bytes = image.headers().pointerBytes();
    return view.has(slot, bytes) ? image.rva(view.pointer(slot, bytes)) : -1;
  }

  private boolean isInside(long rva) {
    return rva > 0 && rva < image.headers().sizeOfImage();
  }

  private String through(long slot) {
    String name = imports.get(slot);
    if (name != null) {
      return "to " + name;
    }
    int bytes = image.headers().pointerBytes();
    return view.has(slot, bytes) ? place(pointed(slot)) : "through a slot outside the image";
  }

  private String place(long rva) {
    return isInside(rva)
        ? "to 0x" + Long.toHexString(rva)
        : "to address 0x"
            + Long.toHexString(rva + image.headers().imageBase())
            + ", outside the image";
  }
}

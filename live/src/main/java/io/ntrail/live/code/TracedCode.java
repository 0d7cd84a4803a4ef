package io.ntrail.live.code;

import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Code of a function, as its stub needs it.
 *
 * @param address where it begins
 * @param unit the bytes of the first instructions, which the short jump overwrites
 * @param relative of each place in the unit where a displacement of 32 bits from the instruction
 *     pointer lies: its offset, and that of the end of its instruction
 * @param prologue what of the unwind data speaks of the unit: codes up to its end, the last first
 * @param frame register and offset as UNWIND_INFO has them, or 0
 * @param exits whether exits are recorded, too
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TracedCode(
    long address, byte[] unit, List<Relative> relative, int[] prologue, int frame, boolean exits) {
  /**
   * Displacement relative to the instruction pointer.
   *
   * @param at its offset in the unit
   * @param end where its instruction ends
   */
  public record Relative(int at, int end) {}

  /** Copies the arrays and lists. */
  public TracedCode {
    unit = unit.clone();
    relative = List.copyOf(relative);
    prologue = prologue.clone();
  }

  /** Returns this code with only its entries recorded. */
  public TracedCode entriesOnly() {
    return new TracedCode(address, unit, relative, prologue, frame, false);
  }

  /** Returns the same code at another address. */
  public TracedCode at(long other) {
    return new TracedCode(other, unit, relative, prologue, frame, exits);
  }

  @Override
  public byte[] unit() {
    return unit.clone();
  }

  @Override
  public int[] prologue() {
    return prologue.clone();
  }

  /** Unwind codes for the first instructions of a function. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Prologue(int[] codes, int frame) {
    /** No unwind codes. */
    public static final Prologue NONE = new Prologue(new int[0], 0);

    /** Copies the codes. */
    public Prologue {
      codes = codes.clone();
    }

    @Override
    public int[] codes() {
      return codes.clone();
    }

    /**
     * Returns the unwind codes of a function up to an offset; null if they cannot be written again.
     *
     * @param unit bytes of the first instructions
     */
    public static @Nullable Prologue of(UnwindInfo info, int unit) {
      int[] words = new int[info.codes().size() * 3];
      int count = 0;
      int frame = 0;
      for (UnwindCode code : info.prologCodes()) {
        if (code.offset() > unit) {
          continue;
        }
        int at = code.offset();
        long value = code.value();
        switch (code.operation()) {
          case UWOP_PUSH_NONVOL -> words[count++] = word(at, 0, code.register());
          case UWOP_ALLOC_SMALL, UWOP_ALLOC_LARGE -> {
            if (value <= 128) {
              words[count++] = word(at, 2, (int) (value / 8) - 1);
            } else {
              words[count++] = word(at, 1, 1);
              words[count++] = (int) value & 0xFFFF;
              words[count++] = (int) (value >>> 16);
            }
          }
          case UWOP_SET_FPREG -> {
            words[count++] = word(at, 3, 0);
            frame = info.frameRegister() | info.frameOffset() / 16 << 4;
          }
          case UWOP_SAVE_NONVOL, UWOP_SAVE_NONVOL_FAR -> {
            words[count++] = word(at, 5, code.register());
            words[count++] = (int) value & 0xFFFF;
            words[count++] = (int) (value >>> 16);
          }
          case UWOP_SAVE_XMM128, UWOP_SAVE_XMM128_FAR -> {
            words[count++] = word(at, 9, code.register());
            words[count++] = (int) value & 0xFFFF;
            words[count++] = (int) (value >>> 16);
          }
          default -> {
            return null;
          }
        }
      }
      return new Prologue(java.util.Arrays.copyOf(words, count), frame);
    }

    private static int word(int at, int operation, int info) {
      return at | (operation | info << 4) << 8;
    }
  }
}

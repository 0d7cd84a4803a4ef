package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One line of the list of forms, as far as encoding needs it.
 *
 * @param mnemonic in capitals
 * @param operands what the operands may be
 * @param places where each of them is, a letter each
 * @param vector VEX, XOP or EVEX, or null for a legacy form
 * @param mandatoryPrefix 0x66, 0xF2, 0xF3, or 0
 * @param operandBits the operand size that the form has to have, or 0
 * @param wide whether W has to be set
 * @param addressBits the address size that the form has to have, or 0
 * @param opcode the bytes of the opcode, with those of the map
 * @param registerInOpcode whether the last of them has a register in its low bits
 * @param modRm what ModRM.reg is: {@link #NO_MODRM}, {@link #REGISTER} or a digit
 * @param suffix the byte after everything that selects the instruction, or {@link #NO_SUFFIX}
 * @param immediates bytes of each immediate, relative target or offset of a far pointer
 * @param only the code size in which alone it exists, or null
 * @param valueBits the number of bits that an immediate stands for: those of the operation, or 0
 * @param signExtended whether an immediate that is narrower is sign-extended to them
 * @param displacementScale what a displacement of one byte is multiplied with
 * @param attributes the words of the last column
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record InstructionForm(
    String mnemonic,
    List<OperandKind> operands,
    String places,
    @Nullable Vector vector,
    int mandatoryPrefix,
    int operandBits,
    boolean wide,
    int addressBits,
    byte[] opcode,
    boolean registerInOpcode,
    int modRm,
    int suffix,
    int[] immediates,
    @Nullable CodeSize only,
    int valueBits,
    boolean signExtended,
    int displacementScale,
    Set<String> attributes) {
  /** No ModRM byte. */
  static final int NO_MODRM = -2;

  /** ModRM.reg is an operand. */
  static final int REGISTER = -1;

  /** The opcode comes first. */
  static final int NO_SUFFIX = -1;

  /**
   * Fields of a VEX, XOP or EVEX prefix.
   *
   * @param lead its first byte: C4, 8F, 62
   * @param length the L bits
   * @param prefix pp
   * @param map 1 for 0F, 2 for 0F38, 3 for 0F3A, and others
   * @param wide the W bit
   */
  record Vector(int lead, int length, int prefix, int map, boolean wide) {
    boolean isEvex() {
      return lead == 0x62;
    }
  }

  /** Attributes of forms that a processor of only one vendor reads so, or that do nothing yet. */
  private static final Set<String> NOT_WRITTEN = Set.of("amd", "amd64", "reserved");

  /**
   * The form of a line; empty for what this assembler does not write.
   *
   * @param operandKinds kinds of the operands of the list, as {@link OperandKind#parse} gives them
   */
  static Optional<InstructionForm> parse(
      String line, Function<String, Optional<OperandKind>> operandKinds) {
    String[] columns = line.split("\\|", -1);
    Set<String> attributes = new HashSet<>(Arrays.asList(columns[4].trim().split(" ", -1)));
    attributes.remove("");
    if (!Collections.disjoint(attributes, NOT_WRITTEN)) {
      return Optional.empty();
    }
    String[] text = columns[1].trim().split(" ", 2);
    List<OperandKind> kinds = new ArrayList<>();
    StringBuilder places = new StringBuilder();
    if (text.length == 2) {
      String[] operands = text[1].split(",", -1);
      for (int i = 0; i < operands.length; i++) {
        operands[i] = operands[i].trim();
        // Operands in angle brackets are always the same register and are not written.
        if (operands[i].startsWith("<")) {
          continue;
        }
        Optional<OperandKind> kind = operandKinds.apply(operands[i]);
        if (kind.isEmpty()) {
          return Optional.empty();
        }
        kinds.add(kind.get());
        places.append(columns[2].trim().charAt(i));
      }
    }
    Opcode opcode = new Opcode();
    for (String word : columns[0].trim().split(" ", -1)) {
      if (!opcode.add(word)) {
        return Optional.empty();
      }
    }
    // Addresses of 16 bits are not written.
    if (opcode.addressBits == 16 && kinds.stream().anyMatch(kind -> kind.memory() != null)) {
      return Optional.empty();
    }
    return Optional.of(opcode.form(text[0], kinds, places.toString(), Set.copyOf(attributes)));
  }

  /** The words of an opcode, one after the other. */
  private static final class Opcode {
    private @Nullable Vector vector;
    private int mandatoryPrefix;
    private int operandBits;
    private boolean wide;
    private int addressBits;
    private byte[] bytes = new byte[0];
    private boolean register;
    private int modRm = NO_MODRM;
    private int[] immediates = new int[0];
    private int suffix = NO_SUFFIX;

    /** Adds a word of the line; returns false if this assembler does not support it. */
    boolean add(String word) {
      switch (word) {
        case "NP", "mo" -> {}
        case "o16" -> operandBits = 16;
        case "o32" -> operandBits = 32;
        case "o64" -> operandBits = 64;
        case "a16" -> addressBits = 16;
        case "a32" -> addressBits = 32;
        case "a64" -> addressBits = 64;
        case "REX.W" -> {
          operandBits = 64;
          wide = true;
        }
        // After a digit it means that there is a SIB byte.
        case "/r", "11:rrr:000" -> modRm = modRm == NO_MODRM ? REGISTER : modRm;
        case "ib", "cb" -> immediate(1);
        case "iw", "cw" -> immediate(2);
        case "id", "cd", "cp" -> immediate(4);
        case "io" -> immediate(8);
        // The encoding of the operands has the rest.
        case "/is4", "/is5" -> {}
        default -> {
          if (word.indexOf('.') > 0) {
            return vector(word);
          }
          if (isDigit(word)) {
            modRm = word.charAt(1) - '0';
          } else if (isByte(word)) {
            opcodeByte(word);
          } else {
            return false;
          }
        }
      }
      return true;
    }

    private static boolean isDigit(String word) {
      return word.length() == 2
          && word.charAt(0) == '/'
          && word.charAt(1) >= '0'
          && word.charAt(1) <= '7';
    }

    private static boolean isByte(String word) {
      return word.length() >= 2
          && isHex(word.charAt(0))
          && isHex(word.charAt(1))
          && switch (word.substring(2)) {
            case "", "+rb", "+rw", "+rd", "+ro", "+i" -> true;
            default -> false;
          };
    }

    private static boolean isHex(char digit) {
      return (digit >= '0' && digit <= '9') || (digit >= 'A' && digit <= 'F');
    }

    private void opcodeByte(String word) {
      int value = Integer.parseInt(word.substring(0, 2), 16);
      if (modRm == REGISTER && bytes.length == 2) {
        suffix = value;
        return;
      }
      boolean prefix = value == 0x66 || value == 0xF2 || value == 0xF3;
      if (prefix && bytes.length == 0 && vector == null) {
        mandatoryPrefix = value;
        return;
      }
      bytes = Arrays.copyOf(bytes, bytes.length + 1);
      bytes[bytes.length - 1] = (byte) value;
      register = word.length() > 2;
    }

    private void immediate(int size) {
      immediates = Arrays.copyOf(immediates, immediates.length + 1);
      immediates[immediates.length - 1] = size;
    }

    private boolean vector(String word) {
      int lead = 0;
      int length = 0;
      int prefix = 0;
      int map = 0;
      boolean w = false;
      for (String part : word.split("\\.", -1)) {
        switch (part) {
          case "128", "L0", "LZ", "LIG", "NP", "WIG", "W0" -> {}
          case "VEX" -> lead = 0xC4;
          case "XOP" -> lead = 0x8F;
          case "EVEX" -> lead = 0x62;
          case "256", "L1" -> length = 1;
          case "512" -> length = 2;
          case "66" -> prefix = 1;
          case "F3" -> prefix = 2;
          case "F2" -> prefix = 3;
          case "0F" -> map = 1;
          case "0F38" -> map = 2;
          case "0F3A" -> map = 3;
          case "MAP5" -> map = 5;
          case "MAP6" -> map = 6;
          case "MAP7" -> map = 7;
          case "X8" -> map = 8;
          case "X9" -> map = 9;
          case "XA" -> map = 10;
          case "W1" -> w = true;
          default -> {
            return false;
          }
        }
      }
      vector = new Vector(lead, length, prefix, map, w);
      return map != 0;
    }

    InstructionForm form(
        String mnemonic, List<OperandKind> operands, String places, Set<String> attributes) {
      CodeSize only =
          attributes.contains("64")
              ? CodeSize.BITS64
              : attributes.contains("16/32") ? CodeSize.BITS32 : null;
      return new InstructionForm(
          mnemonic,
          List.copyOf(operands),
          places,
          vector,
          mandatoryPrefix,
          operandBits,
          wide,
          addressBits,
          bytes,
          register,
          modRm,
          suffix,
          farPointer(operands) && operandBits == 16 ? new int[] {2} : immediates,
          only,
          operandBits != 0 ? operandBits : bytewise(operands) ? 8 : 0,
          attributes.contains("sx"),
          displacementScale(attributes),
          attributes);
    }

    private static boolean farPointer(List<OperandKind> operands) {
      return operands.stream().anyMatch(o -> o.other() == OperandKind.Other.FAR);
    }

    private static int displacementScale(Set<String> attributes) {
      for (String attribute : attributes) {
        if (attribute.startsWith("disp8*")) {
          return Integer.parseInt(attribute.substring("disp8*".length()));
        }
      }
      return 1;
    }

    private static boolean bytewise(List<OperandKind> operands) {
      return operands.stream().anyMatch(o -> o.registerBits() == 8 || o.fixed() == Reg8.AL);
    }
  }

  boolean has(String attribute) {
    return attributes.contains(attribute);
  }

  /** Returns true if it exists in code of a size. */
  boolean existsIn(CodeSize size) {
    return only == null || only == size;
  }

  /** Returns true if it jumps or calls through a segment and an offset in memory. */
  boolean isFarTransfer() {
    return has("flow=far-jump") || has("flow=far-call");
  }

  /** Returns true if an operand shows the width of the operation. */
  boolean showsSize() {
    return operands.stream().anyMatch(OperandKind::showsSize);
  }

  /**
   * Returns a displacement as a field of one byte holds it, in EVEX forms as a multiple of the
   * operand's size (disp8*N); null if one byte cannot hold it.
   */
  @Nullable Long compressedDisplacement(Mem m, long value) {
    int unit = 1;
    if (vector != null && vector.isEvex()) {
      unit = displacementScale();
      for (OperandKind kind : operands()) {
        if (m.times() != 0 && kind.memory() != null) {
          unit = kind.memory().element() / 8;
        }
      }
    }
    return value % unit == 0 && Immediates.fitsSigned(value / unit, 8) ? value / unit : null;
  }
}

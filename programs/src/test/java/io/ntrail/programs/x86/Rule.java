package io.ntrail.programs.x86;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * A form, or a part of it, as seen by one kind of code: for each dimension of the state the values
 * it allows (a bit each), and the leaf it leads to.
 */
final class Rule {
  // Dimensions, in the order in which the tables ask for them.
  static final int PREFIX = 0;
  static final int REGISTER_FORM = 1;
  static final int BROADCAST = 2;
  static final int LENGTH = 3;
  static final int REG = 4;
  static final int RM = 5;
  static final int ADDRESS_SIZE = 6;
  static final int REX_R = 7;
  static final int REX_B = 8;
  static final int OPERAND_SIZE = 9;
  static final int DIMENSIONS = 10;
  static final int[] BITS = {2, 1, 1, 2, 3, 3, 1, 1, 1, 2};
  static final int[] SHIFTS = {
    DecodeTables.STATE_PREFIX,
    DecodeTables.STATE_REGISTER_FORM,
    DecodeTables.STATE_BROADCAST,
    DecodeTables.STATE_VECTOR_LENGTH,
    DecodeTables.STATE_REG,
    DecodeTables.STATE_RM,
    DecodeTables.STATE_ADDRESS_SIZE,
    DecodeTables.STATE_REX_R,
    DecodeTables.STATE_REX_B,
    DecodeTables.STATE_OPERAND_SIZE
  };

  /** Operand sizes: bit 0 is 66, bit 1 is W. */
  private static final int NO_W = 0b0011;

  private static final int WITH_W = 0b1100;
  private static final int NO_66 = 0b0101;
  private static final int WITH_66 = 0b1010;

  final Form form;
  final int map;
  final int opcode;
  final int[] allowed;

  /** The leaf without the bytes of immediates. */
  final int leaf;

  final int immediate;

  private Rule(Form form, int map, int opcode, int[] allowed, int leaf, int immediate) {
    this.form = form;
    this.map = map;
    this.opcode = opcode;
    this.allowed = allowed;
    this.leaf = leaf;
    this.immediate = immediate;
  }

  static int all(int dimension) {
    return (int) ((1L << (1 << BITS[dimension])) - 1);
  }

  boolean restricts(int dimension) {
    return allowed[dimension] != all(dimension);
  }

  /**
   * Returns the number of bits that the form fixes: of two matching forms the more specific one
   * wins.
   */
  int specificity() {
    return (restricts(RM) ? 8 : 0)
        + (restricts(REG) ? 4 : 0)
        + (restricts(PREFIX) ? 2 : 0)
        + (restricts(REGISTER_FORM) ? 1 : 0)
        + (form.has("reserved") ? -16 : 0);
  }

  /** The rules of a form, none if it does not exist in such code. */
  static List<Rule> of(Form form, CodeSize size, CpuVendor vendor) {
    boolean wide = size == CodeSize.BITS64;
    if (form.has("64") && !wide
        || form.has("16/32") && wide
        || form.has("intel") && vendor != CpuVendor.INTEL
        || form.has("amd") && vendor != CpuVendor.AMD
        || form.has("amd64") && wide && vendor != CpuVendor.AMD) {
      return List.of();
    }
    return new Reader(form, size, vendor).rules();
  }

  /** Takes a form apart. */
  private static final class Reader {
    private final Form form;
    private final CodeSize size;
    private final CpuVendor vendor;
    private final int[] allowed = new int[DIMENSIONS];
    private int map;
    private int opcode = -1;
    private int opcodes = 1;
    private int immediate;
    private int flags;

    Reader(Form form, CodeSize size, CpuVendor vendor) {
      this.form = form;
      this.size = size;
      this.vendor = vendor;
      for (int d = 0; d < DIMENSIONS; d++) {
        allowed[d] = all(d);
      }
    }

    List<Rule> rules() {
      List<String> words = new ArrayList<>(form.words());
      boolean vector = form.vector().isPresent();
      if (vector) {
        vectorPrefix(form.vector().orElseThrow());
        words.removeFirst();
        markBytes(words);
      } else {
        legacyMap(words);
      }
      words.forEach(this::word);
      modRm();
      if (vector) {
        vectorFlags();
      } else {
        legacyPrefixes();
      }
      List<Rule> rules = new ArrayList<>();
      for (int i = 0; i < opcodes; i++) {
        variants(opcode + i, rules);
      }
      return rules;
    }

    private void vectorPrefix(List<String> parts) {
      String encoding = parts.getFirst();
      allowed[PREFIX] = 1;
      for (String part : parts.subList(1, parts.size())) {
        switch (part) {
          case "128", "L0", "LZ" -> allowed[LENGTH] = 1;
          case "256", "L1" -> allowed[LENGTH] = 2;
          case "512" -> allowed[LENGTH] = 4;
          case "LIG" -> allowed[LENGTH] = encoding.equals("EVEX") ? 0b111 : 0b11;
          case "66" -> allowed[PREFIX] = 2;
          case "F3" -> allowed[PREFIX] = 4;
          case "F2" -> allowed[PREFIX] = 8;
          case "W0" -> allowed[OPERAND_SIZE] = ignoresW() ? 0b1111 : NO_W;
          case "W1" -> allowed[OPERAND_SIZE] = WITH_W;
          case "WIG" -> {}
          default -> map = vectorMap(encoding, part);
        }
      }
    }

    private boolean ignoresW() {
      return form.has("wig32") && size != CodeSize.BITS64;
    }

    private static int vectorMap(String encoding, String name) {
      int number =
          switch (name) {
            case "0F" -> 1;
            case "0F38" -> 2;
            case "0F3A" -> 3;
            case "X8" -> 0;
            case "X9" -> 1;
            case "XA" -> 2;
            default -> Integer.parseInt(name.substring(3));
          };
      return switch (encoding) {
        case "VEX" -> DecodeTables.MAP_VEX + number;
        case "EVEX" -> DecodeTables.MAP_EVEX + number;
        default -> DecodeTables.MAP_XOP + number;
      };
    }

    /** Takes the escape bytes away and notes the prefixes before them. */
    private void legacyMap(List<String> words) {
      int i = 0;
      while (Set.of("NP", "66", "F3", "F2", "o16", "o32", "o64", "REX.W", "a16", "a32", "a64")
              .contains(words.get(i))
          && !(i == words.size() - 1)) {
        i++;
      }
      List<String> bytes = words.subList(i, words.size());
      map = DecodeTables.MAP_LEGACY;
      if (bytes.size() > 1 && bytes.getFirst().equals("0F")) {
        bytes.removeFirst();
        map = DecodeTables.MAP_0F;
        if (form.file().equals("3dnow")) {
          map = DecodeTables.MAP_3DNOW;
          bytes.removeFirst();
          bytes.addFirst(bytes.removeLast());
          immediate = 1;
        } else if (form.file().equals("0f38") || form.file().equals("0f3a")) {
          map = bytes.removeFirst().equals("38") ? DecodeTables.MAP_0F38 : DecodeTables.MAP_0F3A;
        }
      }
      markBytes(bytes);
    }

    /** 66, F2 and F3 can be opcodes, too. */
    private static void markBytes(List<String> words) {
      words.replaceAll(b -> b.matches("[0-9A-F]{2}(\\+.*)?") ? "byte:" + b : b);
    }

    private void word(String word) {
      switch (word) {
        case "NP" -> allowed[PREFIX] = 1;
        case "66" -> allowed[PREFIX] = 2;
        case "F3" -> allowed[PREFIX] = 4;
        case "F2" -> allowed[PREFIX] = 8;
        case "REX.W" -> allowed[OPERAND_SIZE] = WITH_W;
        case "o16" -> operandSize16();
        case "o32" -> operandSize32();
        case "o64" -> operandSize64();
        case "a16" -> addressSize(16);
        case "a32" -> addressSize(32);
        case "a64" -> addressSize(64);
        case "/r" -> {}
        case "ib", "cb", "/is4", "/is5" -> immediate += 1;
        case "iw", "cw" -> immediate += 2;
        case "id", "cd" -> immediate += 4;
        case "io" -> immediate += 8;
        case "cp" -> immediate += 6;
        case "mo" -> immediate += -1;
        default -> byteOrDigit(word);
      }
    }

    private void byteOrDigit(String word) {
      if (word.startsWith("/")) {
        allowed[REG] = 1 << form.digit();
      } else if (word.startsWith("11:rrr:")) {
        allowed[RM] = 1 << Integer.parseInt(word.substring(7), 2);
        allowed[REGISTER_FORM] = 2;
      } else {
        String hex = word.startsWith("byte:") ? word.substring(5) : word;
        int value = Integer.parseInt(hex.substring(0, 2), 16);
        boolean range = hex.length() > 2;
        if (opcode < 0) {
          opcode = value;
          opcodes = range ? 8 : 1;
        } else {
          allowed[REGISTER_FORM] = 2;
          allowed[REG] = 1 << (value >> 3 & 7);
          allowed[RM] = range ? all(RM) : 1 << (value & 7);
          flags |= DecodeTables.MODRM;
        }
      }
    }

    private boolean mandatory66() {
      return form.hasWord("66");
    }

    private void operandSize16() {
      allowed[OPERAND_SIZE] = NO_W & (size == CodeSize.BITS16 ? NO_66 : WITH_66);
      if (forced64()) {
        allowed[OPERAND_SIZE] = 0;
      }
    }

    private void operandSize32() {
      int prefix = size == CodeSize.BITS16 ? WITH_66 : NO_66;
      allowed[OPERAND_SIZE] = mandatory66() ? NO_W : NO_W & prefix;
    }

    private void operandSize64() {
      allowed[OPERAND_SIZE] = forced64() ? all(OPERAND_SIZE) : WITH_W | NO_66;
    }

    private boolean forced64() {
      return size == CodeSize.BITS64
          && (form.has("f64") || form.has("f64-intel") && vendor == CpuVendor.INTEL);
    }

    private void addressSize(int bits) {
      int own = size.bits();
      int other = own == 32 ? 16 : 32;
      allowed[ADDRESS_SIZE] = bits == own ? 1 : bits == other ? 2 : 0;
    }

    private void modRm() {
      if (!form.hasModRm()) {
        return;
      }
      flags |= DecodeTables.MODRM;
      if (form.operandAt('R').startsWith("bnd")) {
        // There are four of them.
        allowed[REG] = 0b1111;
        allowed[REX_R] = 1;
      }
      if (form.has("any-mod")) {
        flags |= DecodeTables.ANY_MOD;
      } else if (allowed[REGISTER_FORM] == all(REGISTER_FORM)) {
        allowed[REGISTER_FORM] = (form.takesMemory() ? 1 : 0) | (form.takesRegister() ? 2 : 0);
      }
    }

    private void legacyPrefixes() {
      if (form.has("no-f2f3")) {
        allowed[PREFIX] &= 0b0011;
      }
      if (form.has("no-66")) {
        allowed[OPERAND_SIZE] &= NO_66;
      }
      if (form.has("no-rex-b")) {
        allowed[REX_B] = 1;
      }
      if (form.has("lock")) {
        flags |= DecodeTables.LOCKABLE;
      }
      if (forced64()) {
        flags |= DecodeTables.SIZE_FORCED_64 << DecodeTables.SIZE_KIND_SHIFT;
      } else if (form.has("d64") || form.has("f64-intel")) {
        flags |= DecodeTables.SIZE_DEFAULT_64 << DecodeTables.SIZE_KIND_SHIFT;
      }
    }

    private void vectorFlags() {
      flag(form.places().contains("V"), DecodeTables.VVVV);
      flag(isNarrow(form.operandAt('V')), DecodeTables.VVVV_BELOW_8);
      flag(isNarrow(form.operandAt('R')), DecodeTables.REG_BELOW_8);
      flag(form.operandAt('R').matches("r\\d\\d"), DecodeTables.REG_BELOW_16);
      flag(form.operandAt('M').startsWith("tmm"), DecodeTables.RM_BELOW_8);
      flag(form.operandAt('M').startsWith("vm"), DecodeTables.VSIB);
      flag(form.operandAt('M').startsWith("sibmem"), DecodeTables.SIB);
      flag(form.anyOperandHas("{k"), DecodeTables.MASK);
      flag(form.anyOperandHas("{z}"), DecodeTables.ZEROING);
      flag(form.has("masked"), DecodeTables.MASK_REQUIRED);
      flag(form.has("distinct"), DecodeTables.DISTINCT);
      flag(form.has("distinct-dest"), DecodeTables.DISTINCT_DESTINATION);
    }

    private static boolean isNarrow(String operand) {
      return operand.matches("(k\\d.*|tmm\\d)");
    }

    private void flag(boolean condition, int flag) {
      if (condition) {
        flags |= flag;
      }
    }

    private void variants(int code, List<Rule> into) {
      if (form.file().startsWith("evex")) {
        evexVariants(code, into);
      } else if (form.operandAt('R').equals("cr")) {
        controlRegisters(code, into);
      } else if (form.operandAt('R').equals("dr")) {
        allowed[REX_R] = 1;
        add(code, flow(), into);
      } else if (form.operandAt('R').equals("Sreg")) {
        allowed[REG] = form.places().startsWith("R") ? 0b0011_1101 : 0b0011_1111;
        add(code, flow(), into);
      } else {
        add(code, flow(), into);
      }
    }

    /** CR0, CR2 to CR4, CR8; a move to CR3 is in a class of its own, AMD's LOCK makes CR0 CR8. */
    private void controlRegisters(int code, List<Rule> into) {
      FlowClass cr3 = flow();
      allowed[REX_R] = 1;
      allowed[REG] = 0b0001_0100;
      add(code, FlowClass.NEXT, into);
      allowed[REG] = 0b0000_1000;
      add(code, cr3, into);
      allowed[REG] = 0b0000_0001;
      allowed[REX_R] = 2;
      add(code, FlowClass.NEXT, into);
      allowed[REX_R] = 1;
      flag(form.has("lock-cr8") && vendor == CpuVendor.AMD, DecodeTables.LOCK_REGISTER);
      add(code, FlowClass.NEXT, into);
    }

    /** The b bit is broadcast for memory, rounding for registers; rounding replaces the length. */
    private void evexVariants(int code, List<Rule> into) {
      int forms = allowed[REGISTER_FORM];
      int length = allowed[LENGTH];
      boolean broadcast = form.anyOperandHas("bcst");
      boolean rounding = form.anyOperandHas("{er}") || form.anyOperandHas("{sae}");
      if ((forms & 1) != 0) {
        int all = flags;
        if (form.places().startsWith("M")) {
          // What is not selected cannot be zeroed in memory.
          flags &= ~DecodeTables.ZEROING;
        }
        allowed[REGISTER_FORM] = 1;
        allowed[BROADCAST] = broadcast ? 3 : 1;
        add(code, flow(), into);
        flags = all;
      }
      if ((forms & 2) != 0) {
        allowed[REGISTER_FORM] = 2;
        allowed[BROADCAST] = 1;
        allowed[LENGTH] = length;
        add(code, flow(), into);
        if (rounding) {
          allowed[BROADCAST] = 2;
          allowed[LENGTH] = all(LENGTH);
          add(code, flow(), into);
        }
      }
    }

    private FlowClass flow() {
      return form.attributes().stream()
          .filter(a -> a.startsWith("flow="))
          .map(a ->
              FlowClass.valueOf(
                  a.substring(5).toUpperCase(java.util.Locale.ROOT).replace('-', '_')))
          .findFirst()
          .orElse(FlowClass.NEXT);
    }

    private void add(int code, FlowClass flow, List<Rule> into) {
      if (Arrays.stream(allowed).anyMatch(a -> a == 0)) {
        return;
      }
      int leaf = flags | flow.ordinal() + 1 << DecodeTables.CLASS_SHIFT;
      into.add(new Rule(form, map, code, allowed.clone(), leaf, immediate));
    }
  }
}

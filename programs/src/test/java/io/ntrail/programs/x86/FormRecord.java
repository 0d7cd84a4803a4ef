package io.ntrail.programs.x86;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns a form into the words that the program reads. */
final class FormRecord {
  private static final Pattern GENERAL = Pattern.compile("r(8|16|32|64)[ab]?");
  private static final Pattern FIXED_GENERAL = Pattern.compile("([ER]?)([ACDB])X|([ACDB])L");
  private static final Pattern MEMORY = Pattern.compile("m(\\d+)(.*)");
  private static final Pattern ELEMENT = Pattern.compile(".*/m(\\d+)bcst.*");
  private static final String PLACES = "RMV";
  private static final List<String> SEGMENTS = List.of("ES", "CS", "SS", "DS", "FS", "GS");

  private static final Map<String, Integer> ATTRIBUTES =
      Map.of(
          "xacquire", FormRecords.XACQUIRE,
          "xrelease", FormRecords.XRELEASE,
          "rep", FormRecords.REP,
          "repe", FormRecords.REPE,
          "bnd", FormRecords.BND,
          "notrack", FormRecords.NOTRACK,
          "hint", FormRecords.HINT,
          "no-segment", FormRecords.NO_SEGMENT,
          "any-mod", FormRecords.ANY_MOD);

  private final Form form;
  private final int[] words = new int[FormRecords.WORDS];

  private FormRecord(Form form) {
    this.form = form;
  }

  /**
   * The words of a form.
   *
   * @param implied operands that it has beside those that are written
   */
  static int[] of(Form form, List<String> implied, int mnemonic, EffectTable effects) {
    FormRecord writer = new FormRecord(form);
    writer.write(implied, mnemonic);
    int count = writer.words[0] >>> FormRecords.COUNT_SHIFT & 7;
    writer.words[FormRecords.EFFECTS_WORD] = effects.of(form, count);
    return writer.words;
  }

  private void write(List<String> implied, int mnemonic) {
    int count = 0;
    int masked = FormRecords.NOT_MASKED;
    for (int i = 0; i < form.operands().size(); i++) {
      String operand = form.operands().get(i);
      if (operand.startsWith("<")) {
        continue;
      }
      if (operand.contains("{k")) {
        masked = count;
      }
      words[2 + count++] = operand(operand, form.places().charAt(i));
    }
    if (implied.contains("seg")) {
      words[1] |= FormRecords.SEGMENT_UNSEEN;
    }
    for (String operand : form.operands().isEmpty() ? implied : List.<String>of()) {
      if (operand.equals("seg")) {
        continue;
      }
      words[2 + count++] = implied(operand) | FormRecords.IMPLIED;
    }
    words[0] = mnemonic | count << FormRecords.COUNT_SHIFT | masked << FormRecords.MASKED_SHIFT;
    words[1] |= attributes();
    words[1] |= shape(count);
  }

  /**
   * Returns the places of its operands, so that the reader need not examine each of them; and their
   * types.
   */
  private int shape(int count) {
    int shape = FormRecords.NO_OPERAND << FormRecords.NUMBER_OPERAND_SHIFT;
    int numbers = 0;
    boolean irregular = count > 3;
    for (int i = 0; i < count; i++) {
      int word = words[2 + i];
      OperandType type = OperandType.REGISTER;
      shape |= isByteRegister(word) ? FormRecords.BYTES : 0;
      switch (word & 15) {
        case FormRecords.PLACE_RM -> shape |= inRm(i);
        case FormRecords.PLACE_IMMEDIATE, FormRecords.PLACE_RELATIVE -> {
          boolean relative = (word & 15) == FormRecords.PLACE_RELATIVE;
          type = relative ? OperandType.RELATIVE : OperandType.IMMEDIATE;
          shape &= ~(FormRecords.NO_OPERAND << FormRecords.NUMBER_OPERAND_SHIFT);
          shape |= i << FormRecords.NUMBER_OPERAND_SHIFT;
          shape |= relative || isExtended(word) ? 0 : FormRecords.UNSIGNED;
          irregular |= ++numbers > 1;
        }
        default -> irregular |= (word & 15) > FormRecords.PLACE_OPCODE && !isFixed(word);
      }
      words[0] |= i < 4 ? type.ordinal() << FormRecords.TYPES_SHIFT + 3 * i : 0;
    }
    if (numbers > 1 && (shape & FormRecords.UNSIGNED) == 0) {
      throw new IllegalStateException("the reader extends only one immediate: " + form);
    }
    return shape | (irregular ? FormRecords.IRREGULAR : 0);
  }

  private int inRm(int operand) {
    boolean never = (words[1] & FormRecords.ANY_MOD) != 0;
    return never ? 0 : FormRecords.MEMORY | operand << FormRecords.MEMORY_OPERAND_SHIFT;
  }

  private static boolean isExtended(int word) {
    int log = word >>> FormRecords.IMMEDIATE_SHIFT & 7;
    return (word >>> FormRecords.EXTENDED_SHIFT & 3) > log;
  }

  private static boolean isByteRegister(int word) {
    boolean encoded = (word & 15) <= FormRecords.PLACE_OPCODE;
    boolean register = (word >>> FormRecords.NUMBER_MASK_SHIFT & 31) != 0;
    return encoded
        && register
        && (word >>> FormRecords.CLASS_SHIFT & 31) == RegisterClass.GENERAL8.ordinal();
  }

  private static boolean isFixed(int word) {
    return (word & 15) == FormRecords.PLACE_FIXED;
  }

  private int attributes() {
    int flags = 0;
    for (String attribute : form.attributes()) {
      if (attribute.startsWith("disp8*")) {
        flags |= log2(Integer.parseInt(attribute.substring(6)));
      }
      flags |= ATTRIBUTES.getOrDefault(attribute, 0);
    }
    if (form.vector().isPresent()) {
      flags |= FormRecords.VECTOR;
    }
    if (form.anyOperandHas("{er}")) {
      flags |= FormRecords.ROUNDING;
    } else if (form.anyOperandHas("{sae}")) {
      flags |= FormRecords.SAE;
    }
    if (form.operands().stream().anyMatch(o -> o.startsWith("vm"))) {
      flags |= FormRecords.VECTOR_INDEX;
    }
    for (String operand : form.operands()) {
      Matcher element = ELEMENT.matcher(operand);
      if (element.matches()) {
        flags |= log2(Integer.parseInt(element.group(1)) / 8) << FormRecords.BROADCAST_SHIFT;
      }
    }
    return flags;
  }

  private static int log2(int value) {
    return Integer.numberOfTrailingZeros(value);
  }

  private int operand(String written, char letter) {
    String text = Form.bare(written);
    return switch (letter) {
      case 'D' -> FormRecords.PLACE_RELATIVE;
      case 'A' -> FormRecords.PLACE_OFFSET | memory(Integer.parseInt(text.substring(5)) / 8);
      case 'S' -> FormRecords.PLACE_IMMEDIATE_REGISTER | register(text);
      case 'I' -> immediate(text);
      case '-' -> fixed(text);
      // Of x87, the register is in the byte that lies where ModRM would.
      case 'O' ->
          (text.startsWith("ST") ? FormRecords.PLACE_RM : FormRecords.PLACE_OPCODE)
              | register(text);
      default -> PLACES.indexOf(letter) | registerOrMemory(text);
    };
  }

  private int registerOrMemory(String text) {
    if (text.equals("mem") || text.equals("mib") || text.equals("m") || text.equals("sibmem")) {
      return 0;
    }
    if (text.startsWith("vm")) {
      RegisterClass index =
          switch (text.charAt(4)) {
            case 'x' -> RegisterClass.XMM;
            case 'y' -> RegisterClass.YMM;
            default -> RegisterClass.ZMM;
          };
      return type(index) | memory(gathered());
    }
    String[] parts = text.split("/", -1);
    if (parts.length == 1 && MEMORY.matcher(text).matches()) {
      boolean jump = form.attributes().stream().anyMatch(a -> a.startsWith("flow=far-"));
      return memory(text) | (jump ? FormRecords.FAR : 0);
    }
    boolean either = parts[0].equals("r");
    int memory = parts.length == 1 ? 0 : memory(either ? "m" + parts[1].substring(1) : parts[1]);
    return register(either ? "r" + parts[1].substring(1) : parts[0]) | memory;
  }

  /** Bytes of an element that is gathered or scattered: the end of the name says them. */
  private int gathered() {
    return form.mnemonic().matches(".*(PD|[DQ]Q)") ? 8 : 4;
  }

  /** Bytes, as in m128, m16:32, m32&32, m80fp, m512byte. */
  private static int memory(String text) {
    Matcher matcher = MEMORY.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(text);
    }
    int number = Integer.parseInt(matcher.group(1));
    String rest = matcher.group(2);
    if (rest.equals("byte")) {
      return memory(number);
    }
    if (rest.startsWith(":") || rest.startsWith("&")) {
      return memory((number + Integer.parseInt(rest.substring(1))) / 8);
    }
    return memory(number / 8);
  }

  private static int memory(int bytes) {
    return bytes << FormRecords.MEMORY_SHIFT;
  }

  private static int type(RegisterClass type) {
    return type.ordinal() << FormRecords.CLASS_SHIFT
        | numberMask(type) << FormRecords.NUMBER_MASK_SHIFT;
  }

  /** Bits of a register number that mean something. */
  private static int numberMask(RegisterClass type) {
    return switch (type) {
      case SEGMENT, X87, MMX, MASK, TILE -> 7;
      case BOUND -> 3;
      case XMM, YMM, ZMM -> 31;
      default -> 15;
    };
  }

  private static int register(String text) {
    int row = text.contains("+") ? FormRecords.ROW : 0;
    Matcher general = GENERAL.matcher(text);
    if (general.matches()) {
      return type(RegisterClass.valueOf("GENERAL" + general.group(1)));
    }
    String letters = text.replaceAll("[0-9(+].*", "");
    return row
        | type(
            switch (letters) {
              case "xmm" -> RegisterClass.XMM;
              case "ymm" -> RegisterClass.YMM;
              case "zmm" -> RegisterClass.ZMM;
              case "mm" -> RegisterClass.MMX;
              case "k" -> RegisterClass.MASK;
              case "tmm" -> RegisterClass.TILE;
              case "bnd" -> RegisterClass.BOUND;
              case "Sreg" -> RegisterClass.SEGMENT;
              case "cr" -> RegisterClass.CONTROL;
              case "dr" -> RegisterClass.DEBUG;
              case "ST" -> RegisterClass.X87;
              default -> throw new IllegalArgumentException(text);
            });
  }

  private static int fixed(String text) {
    if (text.equals("1")) {
      return FormRecords.PLACE_ONE;
    }
    int number = Math.max(0, SEGMENTS.indexOf(text));
    RegisterClass type = SEGMENTS.contains(text) ? RegisterClass.SEGMENT : RegisterClass.X87;
    Matcher general = FIXED_GENERAL.matcher(text);
    if (general.matches()) {
      String letter = general.group(2) == null ? general.group(3) : general.group(2);
      number = "ACDB".indexOf(letter);
      type =
          switch (general.group(1) == null ? "L" : general.group(1)) {
            case "L" -> RegisterClass.GENERAL8;
            case "E" -> RegisterClass.GENERAL32;
            case "R" -> RegisterClass.GENERAL64;
            default -> RegisterClass.GENERAL16;
          };
    } else if (!SEGMENTS.contains(text) && !text.startsWith("ST")) {
      throw new IllegalArgumentException(text);
    }
    return FormRecords.PLACE_FIXED | type(type) | number << FormRecords.NUMBER_SHIFT;
  }

  private int immediate(String text) {
    if (text.startsWith("ptr")) {
      return FormRecords.PLACE_FAR;
    }
    if (text.equals("imm4")) {
      return FormRecords.PLACE_IMMEDIATE_NIBBLE;
    }
    int bytes = Integer.parseInt(text.substring(3)) / 8;
    int extended = form.has("sx") ? extended() : bytes;
    return FormRecords.PLACE_IMMEDIATE
        | 8 * extended << FormRecords.DETAIL_SHIFT
        | log2(bytes) << FormRecords.IMMEDIATE_SHIFT
        | log2(extended) << FormRecords.EXTENDED_SHIFT;
  }

  /** Bytes of the operands that an immediate is extended to. */
  private int extended() {
    if (form.hasWord("o16")) {
      return 2;
    }
    return form.hasWord("o32") ? 4 : 8;
  }

  private static int implied(String text) {
    String[] parts = text.split(" ", -1);
    if (text.equals("aAX")) {
      return FormRecords.PLACE_ADDRESS_AX;
    }
    if (parts.length == 1) {
      return fixed(text);
    }
    int place =
        switch (parts[0]) {
          case "es:di" -> FormRecords.PLACE_ES_DI;
          case "si" -> FormRecords.PLACE_SI;
          default -> FormRecords.PLACE_BX;
        };
    return place | memory(parts[1]);
  }
}

package io.ntrail.programs.x86;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Brings our text and that of objdump to one spelling. What is made equal:
 *
 * <ul>
 *   <li>blanks, small and large letters; a digit and a number of one digit;
 *   <li>a scale of 1, a displacement of 0, an index of none (riz); brackets around an address
 *       without registers; the segments DS and SS where they are said without need;
 *   <li>memory relative to RIP and the address that it means;
 *   <li>prefixes that mean nothing, which it shows in words;
 *   <li>mnemonics with several names; operand sizes in the names of string instructions; operands
 *       that only one of the two writes.
 * </ul>
 */
final class ObjdumpText {
  private static final Pattern RELATIVE =
      Pattern.compile("\\[[er]ip(?:[+-]0x[0-9a-f]+)?\\](.*?) +# 0x([0-9a-f]+)$");
  private static final Pattern IDLE =
      Pattern.compile(
          "^((?:lock |repn?[ze] |rep |xacquire |xrelease |bnd |notrack )*)"
              + "(?:[cdefgs]s|data16|data32|addr32|addr16|rex(?:\\.[wrxb]+)?) ");
  private static final Pattern NO_INDEX = Pattern.compile("\\+[er]iz(?:\\*[1248])?");
  private static final Pattern SIZE = Pattern.compile("\\w+ ptr ");
  private static final Pattern OWN_WORDS =
      Pattern.compile("hint-(?:not-)?taken |\\bfar |^[c-gs]s (?=v?maskmov)");
  private static final Pattern STRING =
      Pattern.compile("\\b(ins|outs|movs|cmps|stos|lods|scas)[bwdq] (?!.*xmm)");
  private static final List<String> PREDICATES =
      List.of("eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord");
  private static final Pattern COMPARISON =
      Pattern.compile(
          "^(v?cmp(?=.*[ps][sdh] )|vpcmp(?!eq|gt))(eq|lt|le|unord|neq|nlt|nle|ord)([ps][sdh]|u?[bwdq])"
              + " (.*)$");
  private static final Map<String, String> SYNONYMS =
      Map.ofEntries(
          Map.entry("movabs", "mov"),
          Map.entry("xlatb", "xlat"),
          Map.entry("sal", "shl"),
          Map.entry("wait", "fwait"),
          Map.entry("pushfq", "pushf"),
          Map.entry("pushfd", "pushf"),
          Map.entry("popfq", "popf"),
          Map.entry("popfd", "popf"),
          Map.entry("popad", "popa"),
          Map.entry("popaw", "popa"),
          Map.entry("pushad", "pusha"),
          Map.entry("pushaw", "pusha"),
          Map.entry("iretd", "iret"),
          Map.entry("popw", "pop"),
          Map.entry("pushw", "push"),
          Map.entry("sidtd", "sidt"),
          Map.entry("sgdtd", "sgdt"),
          Map.entry("lidtd", "lidt"),
          Map.entry("lgdtd", "lgdt"));

  private static final Pattern TOP = Pattern.compile("\\bst(?!\\()\\b");

  private static final Pattern STACK = Pattern.compile("ss:(\\[[er]?[bs]p)");
  private static final Pattern REPEAT = Pattern.compile("^(?:repn?e )+");
  private static final Pattern NARROW =
      Pattern.compile("(?:arpl|lldt|lmsw|lsl|ltr|mov|ver[rw]|v?pextr|v?pinsr|v?p?movmsk).*");
  private static final Pattern REGISTER = Pattern.compile("\\b[a-z][a-z0-9]+\\b");

  private ObjdumpText() {}

  /** Returns true if both texts mean the same. */
  static boolean same(String ours, String theirs) {
    String own = ours(ours);
    String other = theirs(theirs);
    if (own.equals(other)) {
      return true;
    }
    if (own.startsWith("reservednop ")) {
      return REPEAT.matcher(other).replaceFirst("").startsWith("nop ");
    }
    other = STACK.matcher(other).replaceFirst("$1").replace("lock xrelease ", "xrelease lock ");
    if (!other.contains(" ptr ")) {
      own = SIZE.matcher(own).replaceAll("");
    }
    if (own.startsWith("rep ")) {
      own = own.substring(4);
    }
    if (!own.startsWith("rep")) {
      other = REPEAT.matcher(other).replaceFirst("");
    }
    return own.equals(other) || widened(own).equals(widened(other));
  }

  /** Of some instructions they show the part of a register that is used. */
  private static String widened(String text) {
    if (!NARROW.matcher(text).matches()) {
      return text;
    }
    return REGISTER.matcher(text).replaceAll(m -> ZydisEffects.whole(m.group()));
  }

  static String theirs(String text) {
    String result = text;
    int comment = text.indexOf('#');
    if (comment >= 0) {
      Matcher relative = RELATIVE.matcher(result);
      if (relative.find()) {
        result =
            result.substring(0, relative.start())
                + "[0x"
                + relative.group(2)
                + "]"
                + relative.group(1);
      }
    }
    result = NO_INDEX.matcher(result.toLowerCase(Locale.ROOT)).replaceAll("");
    Matcher idle = IDLE.matcher(result);
    while (idle.find()) {
      result = idle.replaceFirst("$1");
      idle = IDLE.matcher(result);
    }
    result =
        result.replace("repz ", "repe ").replace("repnz ", "repne ").replace("oword ", "xmmword ");
    Matcher comparison = COMPARISON.matcher(result);
    if (comparison.matches()) {
      int predicate = PREDICATES.indexOf(comparison.group(2));
      result =
          comparison.group(1) + comparison.group(3) + " " + comparison.group(4) + "," + predicate;
    }
    return common(result);
  }

  static String ours(String text) {
    String result = STRING.matcher(text).replaceFirst("$1 ");
    return common(OWN_WORDS.matcher(result).replaceAll(""));
  }

  private static String common(String text) {
    StringBuilder into = new StringBuilder(text.length() + 16);
    int length = text.length();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      char before = i == 0 ? 0 : text.charAt(i - 1);
      char next = i + 1 < length ? text.charAt(i + 1) : 0;
      boolean blank = c == ' ' && (next == ' ' || before == ',' || i + 1 == length);
      boolean alone = c == '[' && next >= '0' && next <= '9';
      if (c >= '0' && c <= '9' && next != 'x' && " ,+-:[(".indexOf(before) >= 0) {
        into.append("0x").append(c);
      } else if (c == '*' && next == '1') {
        i++;
      } else if (c == '+' && text.startsWith("+0x0]", i)) {
        i += 3;
      } else if (c == 'd' && text.startsWith("ds:", i)) {
        i += 2;
      } else if (!blank && !alone) {
        into.append(c);
      }
    }
    int closed = 0;
    for (int i = 0; i < into.length(); i++) {
      char c = into.charAt(i);
      if (c == '[') {
        closed++;
      } else if (c == ']' && --closed < 0) {
        into.deleteCharAt(i--);
        closed = 0;
      }
    }
    String result = into.toString();
    int end = result.indexOf(' ');
    String mnemonic = end < 0 ? result : result.substring(0, end);
    String synonym = SYNONYMS.get(mnemonic);
    if (synonym != null) {
      result = synonym + (end < 0 ? "" : result.substring(end));
    }
    result = TOP.matcher(result).replaceAll("st(0x0)");
    return result.equals("xchg ax,ax") ? "nop" : result;
  }
}

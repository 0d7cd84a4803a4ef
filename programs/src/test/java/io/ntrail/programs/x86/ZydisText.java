package io.ntrail.programs.x86;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * Brings our text and that of Zydis to one spelling. What is made equal: conditions and other
 * mnemonics with several names; a digit and a number of one digit; blanks before braces; a scale of
 * 1; the segment DS where it is said without need; targets of branches that they extend beyond the
 * width of the code; hints of branches; the word far; zeros before far offsets; operands of string
 * instructions and registers of NOPs; brackets of x87 registers; what is not accessed of LEA and
 * MPX; segments of memory that is not written; a count of BEXTR that they cut.
 */
final class ZydisText {
  private static final Pattern STRING =
      Pattern.compile("(ins|outs|movs|cmps|stos|lods|scas)[bwdq]|xlat");

  /** Parts of the text that were compared with the operands. */
  private static final Pattern COMPARED =
      Pattern.compile("nop|reservednop|v?maskmov(q|dqu)|clzero|u?monitorx?");

  private static final Pattern SIZE_OR_SEGMENT = Pattern.compile("\\w+ ptr |[c-gs]s:");
  private static final Pattern DIGIT_AT_END = Pattern.compile(":\\d$");
  private static final Pattern LEADING_ZEROS = Pattern.compile("(?<=[ :]0x)0+(?=[0-9a-f])");
  private static final Pattern COUNT_AT_END = Pattern.compile(", 0x[0-9a-f]+$");

  /** Characters of the upper half that they write before a target of 32 bits. */
  private static final int EXTENSION = "0xffffffff".length();

  private static final Pattern STACK = Pattern.compile("ss:\\[[er]?[bs]p");
  private static final Set<String> ADDRESSES = Set.of("lea", "bndmk", "bndcl", "bndcu", "bndcn");

  private final StringBuilder text = new StringBuilder(96);
  private final StringBuilder other = new StringBuilder(96);

  /** Returns true if both texts mean the same; {@code mnemonic} is theirs. */
  boolean same(String ours, String ownMnemonic, String theirs, String mnemonic) {
    if (COMPARED.matcher(ownMnemonic).matches()) {
      return true;
    }
    common(ours, text);
    common(theirs, other);
    if (!ownMnemonic.equals(mnemonic)) {
      int at = text.indexOf(ownMnemonic);
      text.replace(at, at + ownMnemonic.length(), mnemonic);
    }
    if (ADDRESSES.contains(mnemonic)) {
      remove(SIZE_OR_SEGMENT, text);
      remove(SIZE_OR_SEGMENT, other);
    } else if (ours.contains(":0x") || DIGIT_AT_END.matcher(ours).find()) {
      remove(LEADING_ZEROS, other);
    } else if (mnemonic.equals("bextr")) {
      remove(COUNT_AT_END, text);
      remove(COUNT_AT_END, other);
    } else if (STRING.matcher(mnemonic).matches() && text.indexOf("xmm") < 0) {
      int end = text.indexOf(mnemonic) + mnemonic.length();
      text.setLength(Math.min(end, text.length()));
      if (other.indexOf("repne ") == 0 && text.indexOf("rep ") == 0) {
        other.delete(3, 5);
      }
    }
    return text.compareTo(other) == 0;
  }

  String ours() {
    return text.toString();
  }

  String theirs() {
    return other.toString();
  }

  private static void remove(Pattern pattern, StringBuilder text) {
    String changed = pattern.matcher(text).replaceAll("");
    text.setLength(0);
    text.append(changed);
  }

  private static void common(String text, StringBuilder into) {
    into.setLength(0);
    int start = 0;
    for (String word : new String[] {"hint-taken ", "hint-not-taken "}) {
      int at = text.indexOf(word);
      if (at >= 0) {
        into.append(text, 0, at);
        start = at + word.length();
      }
    }
    int length = text.length();
    for (int i = start; i < length; i++) {
      char c = text.charAt(i);
      char before = i == 0 ? 0 : text.charAt(i - 1);
      char next = i + 1 < length ? text.charAt(i + 1) : 0;
      if (c >= '0' && c <= '9' && next != 'x' && " +-:[".indexOf(before) >= 0) {
        into.append("0x").append(c);
        continue;
      }
      int skipped = skipped(text, i, c, before, next);
      if (skipped == 0) {
        into.append(c);
      } else {
        into.append(skipped == EXTENSION ? "0x" : "");
        i += skipped - 1;
      }
    }
  }

  /** Returns the number of characters without meaning from here on. */
  private static int skipped(String text, int i, char c, char before, char next) {
    int length = text.length();
    return switch (c) {
      case '0' ->
          before == ' ' && i + 8 + EXTENSION == length && text.startsWith("0xffffffff", i)
              ? EXTENSION
              : 0;
      case '*' -> next == '1' ? 2 : 0;
      case 'd' -> text.startsWith("ds:[", i) ? 3 : 0;
      case 's' ->
          text.startsWith("ss:[", i) && STACK.matcher(text.substring(i)).lookingAt() ? 3 : 0;
      case 'f' -> before == ' ' && text.startsWith("far ", i) ? 4 : 0;
      case ' ' -> next == '{' ? 1 : i + 4 == length && text.endsWith(" far") ? 4 : 0;
      case ',' -> i + 2 < length && text.charAt(i + 2) == '{' ? 1 : 0;
      case '(', ')' -> 1;
      default -> 0;
    };
  }
}

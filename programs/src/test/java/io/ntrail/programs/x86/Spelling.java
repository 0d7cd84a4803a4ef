package io.ntrail.programs.x86;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Brings the text of the shared tables, which come from two formatters of another decoder, and ours
 * to one spelling. What is made equal here is where we write differently on purpose.
 */
final class Spelling {
  private static final Pattern SUFFIXED = Pattern.compile("(?<![\\w.])([0-9][0-9a-f]*)h\\b");
  private static final Pattern HEX = Pattern.compile("0x([0-9a-f]+)");
  private static final Pattern REGISTER =
      Pattern.compile("\\b([er]?)(ax|cx|dx|bx|sp|bp|si|di)\\b|\\b(r\\d+)[wd]\\b");
  private static final String STRINGS =
      "(rep[ne]* )?(ins|outs|movs|cmps|stos|lods|scas)[bwdq] (?!.*xmm).*";

  /** Their registers are narrower, as the operation uses no more of them. */
  private static final String NARROWER =
      "(arpl|lldt|lmsw|ltr|verr|verw|mov [c-gs]s|tpause|umwait|v?extractps|vmovw|v?pextr|v?pinsr|v?movmsk"
          + "|v?pmovmsk).*";

  private record Change(Pattern from, String to) {
    Change(String from, String to) {
      this(Pattern.compile(from), to);
    }
  }

  private static final List<Change> CHANGES =
      List.of(
          // Padding, widths that they leave out where a register says them, words of assemblers.
          new Change("\\s*,\\s*", ","),
          new Change("\\b(short|far|near|data16|data64|addr16|addr32) ", ""),
          new Change("\\w+ ptr ", ""),
          new Change("\\bds:\\[", "["),
          new Change("^\\(bad\\)$", ""),
          // Far pointers.
          new Change("^((?:jmp|call)) (0x\\w+|\\d):(0x\\w+|\\d)$", "$1 $3,$2"),
          // Masks of gathers and scatters, as AVX2 has them.
          new Change("^(v\\w*(?:gather|scatter).*),(k\\d)", "$1{$2}"),
          // The top of the x87 stack, where the manuals do not write it.
          new Change("\\bst(?!\\()\\b", "st(0)"),
          new Change("^(f\\w+) st\\(0\\),(\\w\\w:|\\[|st)", "$1 $2"),
          new Change("^(f\\w+ (?:\\[.*\\]|st\\(.\\)|\\w\\w:\\[.*\\])),st\\(0\\)$", "$1"),
          new Change("^(f(?:add|mul|divr?|subr?)p|fcomp?|fucomp?|fxch)( st\\(1\\))?$", "$1"),
          // Rounding: they write it at the first operand.
          new Change(",?\\{(r[nduz])e?-sae\\}|,?\\{(sae)\\}", ""),
          // Synonyms.
          new Change("^sal ", "shl "),
          new Change("^wait$", "fwait"),
          new Change("^xlatb? ", "xlat "),
          new Change("^prefetch_(exclusive|reserved) ", "prefetch "),
          new Change("^xchg (ax,ax|rax,rax)$", "nop"),
          new Change("^ret[fnq]* ?", "ret "),
          new Change("^(ret) (?:far)?$", "$1"),
          new Change("^imul (\\w+),\\1,(0x\\w+|\\d)$", "imul $1,$2"),
          // Prefixes that mean nothing, or are a part of the instruction.
          new Change("^(?:rep|repne) (ret|xcrypt|xsha|xstore|montmul|ccs|undoc|nop)", "$1"),
          new Change("^(v?maskmov.*),fs$", "fs $1"),
          new Change("^reservednop", "nop"),
          new Change("^(invlpgb|pvalidate) (\\w+),.*", "$1 $2"),
          // Comparisons and products with the immediate in their names.
          new Change("^(v?pclmul)(?:[lh]q[lh]q)(dq .*)$", "$1q$2"),
          new Change("^(v?pclmulqdq .*),(0x\\w+|\\d)$", "$1"),
          new Change("^cmpn?(?:[a-z]+)xadd ", "cmpccxadd "),
          new Change("^(v?cmp)[a-z_]*?([ps][sd]) (.*?xmm\\d+.*?)(,\\d)?$", "$1$2 $3"));

  private Spelling() {}

  /** Returns true if both texts mean the same. */
  static boolean same(String ours, String theirs) {
    return common(ours).equals(common(theirs));
  }

  static String common(String text) {
    String result = text.toLowerCase(Locale.ROOT);
    result = SUFFIXED.matcher(result).replaceAll("0x$1");
    result = HEX.matcher(result).replaceAll(m -> number(m.group(1)));
    for (Change change : CHANGES) {
      result = change.from.matcher(result).replaceAll(change.to);
    }
    if (result.matches(STRINGS)) {
      // They leave out segments that cannot be changed, and the accumulator.
      result = result.replace("es:[", "[").replaceAll("(?<= )[er]?a[lx],|,[er]?a[lx]\\b", "");
    }
    if (result.matches(NARROWER)) {
      result =
          REGISTER.matcher(result).replaceAll(m -> m.group(2) != null ? m.group(2) : m.group(3));
    }
    return result;
  }

  private static String number(String hex) {
    long value = Long.parseUnsignedLong(hex.replaceAll("^0+(?=.)", ""), 16);
    return value >= 0 && value < 10 ? Long.toString(value) : "0x" + Long.toHexString(value);
  }
}

package io.ntrail.programs.x86;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Differences of our operands from those of Zydis 4.0.0 on purpose. Each rule has a name, and makes
 * the two equal or does not apply; nothing else is forgiven.
 */
final class ZydisStated {
  private static final Pattern SIZE = Pattern.compile(" m:\\d+:");
  private static final Pattern NARROW =
      Pattern.compile(
          "arpl|tpause|umwait|lar|lldt|lmsw|lsl|ltr|mov|senduipi|ver[rw]|v?extractps|v?movmskp[sd]|v?pextr[bw]"
              + "|v?pinsr[bw]|v?pmovmskb");

  /** The manuals say m, mib or mem; or speak of a byte where Zydis has the line of the cache. */
  private static final Pattern WITHOUT_SIZE =
      Pattern.compile(
          "bndldx|bndstx|clflush|clflushopt|clwb|invlpg|sgdt|sidt|xrstors?(64)?"
              + "|xsave(|c|opt|s)(64)?");

  /** Newer, or distinguished by us alone; and two slips. Ours, theirs. */
  private static final Map<String, String> NAMES =
      Map.of(
          "prefetchit0", "nop",
          "prefetchit1", "nop",
          "prefetchw", "prefetch",
          "wbnoinvd", "wbinvd",
          "vmgexit", "vmmcall",
          "pfrcpit1", "pfcpit1",
          "pfrsqrt", "pfsqrt");

  private static final Set<String> FAR = Set.of("jmp", "call");

  private ZydisStated() {}

  /**
   * Returns the reason why two lines differ; null if nothing explains it.
   *
   * @param ours five columns, mnemonic in theirs
   * @param theirs all columns
   */
  static @Nullable String reason(String[] ours, String[] theirs, Instruction instruction) {
    if (ours[1].equals(NAMES.getOrDefault(theirs[1], ""))) {
      return null;
    }
    if (theirs[1].equals(NAMES.get(ours[1]))
        && sameBut(1, withoutSizes(ours), withoutSizes(theirs))) {
      return "another name";
    }
    if (!theirs[1].equals(ours[1])) {
      return null;
    }
    String mnemonic = ours[1];
    if (WITHOUT_SIZE.matcher(mnemonic).matches()
        && sameBut(0, withoutSizes(ours), withoutSizes(theirs))) {
      return "size of memory that the manuals do not say";
    }
    if (NARROW.matcher(mnemonic).matches() && sameBut(0, widened(ours), widened(theirs))) {
      return "registers of which a part is used";
    }
    if (mnemonic.matches("ud[01]|movsxd")
        && sameBut(0, widened(withoutSizes(ours)), widened(withoutSizes(theirs)))) {
      return "operand size of UD0, UD1, MOVSXD";
    }
    if (mnemonic.equals("fucomp") && ours[4].equals(theirs[4].replaceFirst(" r:st0", ""))) {
      return "ST(0) of FUCOMP";
    }
    if (FAR.contains(mnemonic) && ours[4].startsWith(" p:") && sameBut(2, ours, theirs)) {
      return "NOTRACK of direct jumps";
    }
    if (mnemonic.matches("xcrypt.*|xsha.*|xstore|montmul") && sameBut(2, ours, theirs)) {
      return "REP that is a part of the instruction";
    }
    if (mnemonic.matches("vcvtu?dq2pd") && sameBut(3, ours, theirs)) {
      return "rounding that is ignored";
    }
    if (mnemonic.startsWith("bnd")
        && widenedAddress(withoutSizes(ours)[4]).equals(widenedAddress(withoutSizes(theirs)[4]))) {
      return "address size of MPX";
    }
    if (instruction.addressSize() == 32
        && theirs[4].contains(":r13d:")
        && ours[4].contains("::r")) {
      return "base R13 without displacement";
    }
    return null;
  }

  /** In 64-bit code, 67 means nothing to MPX, which is obsolete. */
  private static String widenedAddress(String operands) {
    return operands.replaceAll(":e(?=[a-ds])", ":r").replaceAll("(?<=:r\\d{1,2})d", "");
  }

  private static boolean sameBut(int column, String[] ours, String[] theirs) {
    for (int i = 0; i < 5; i++) {
      if ((i != column || column == 0) && !ours[i].equals(theirs[i])) {
        return false;
      }
    }
    return true;
  }

  private static String[] withoutSizes(String[] columns) {
    String[] result = columns.clone();
    result[4] = SIZE.matcher(columns[4]).replaceAll(" m:0:");
    return result;
  }

  private static String[] widened(String[] columns) {
    String[] result = columns.clone();
    StringBuilder operands = new StringBuilder();
    for (String operand : columns[4].trim().split(" ", -1)) {
      operands
          .append(' ')
          .append(
              operand.startsWith("r:") ? "r:" + ZydisEffects.whole(operand.substring(2)) : operand);
    }
    result[4] = operands.toString();
    return result;
  }
}

package io.ntrail.programs.x86;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Our instructions in the words of {@code zydis.c}: the columns from the length to the operands.
 */
final class ZydisLine {
  /** In their order; the name with a blank before it. */
  private record Prefix(InstructionPrefix prefix, String name) {
    Prefix(InstructionPrefix prefix) {
      this(prefix, " " + prefix.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
  }

  private static final List<Prefix> PREFIXES =
      Stream.of(
              InstructionPrefix.LOCK,
              InstructionPrefix.REP,
              InstructionPrefix.REPE,
              InstructionPrefix.REPNE,
              InstructionPrefix.BND,
              InstructionPrefix.XACQUIRE,
              InstructionPrefix.XRELEASE,
              InstructionPrefix.NOTRACK,
              InstructionPrefix.TAKEN,
              InstructionPrefix.NOT_TAKEN)
          .map(Prefix::new)
          .toList();

  private static final Pattern CONDITIONAL = Pattern.compile("(j|set|cmov)(e|ne|a|ae|g|ge)");
  private static final Map<String, String> CONDITIONS =
      Map.of("e", "z", "ne", "nz", "a", "nbe", "ae", "nb", "g", "nle", "ge", "nl");
  private static final Map<String, String> SYNONYMS =
      Map.ofEntries(
          Map.entry("retf", "ret"),
          Map.entry("wait", "fwait"),
          Map.entry("sal", "shl"),
          Map.entry("xlatb", "xlat"),
          Map.entry("reservednop", "nop"),
          Map.entry("sysretq", "sysret"),
          Map.entry("sysexitq", "sysexit"),
          Map.entry("getsecq", "getsec"),
          Map.entry("fneni", "feni8087_nop"),
          Map.entry("fndisi", "fdisi8087_nop"),
          Map.entry("fnsetpm", "fsetpm287_nop"),
          Map.entry("xcryptecb", "xcrypt_ecb"),
          Map.entry("xcryptcbc", "xcrypt_cbc"),
          Map.entry("xcryptctr", "xcrypt_ctr"),
          Map.entry("xcryptcfb", "xcrypt_cfb"),
          Map.entry("xcryptofb", "xcrypt_ofb"),
          Map.entry("vpcmpestri64", "vpcmpestri"),
          Map.entry("vpcmpestrm64", "vpcmpestrm"),
          Map.entry("pcmpestri64", "pcmpestri"),
          Map.entry("pcmpestrm64", "pcmpestrm"));

  /** Memory operands that are not accessed. */
  private static final Set<String> ADDRESSES = Set.of("lea", "bndmk", "bndcl", "bndcu", "bndcn");

  private static final Map<String, String> MNEMONICS = new HashMap<>();

  private final StringBuilder line = new StringBuilder(128);
  private boolean address;
  private int addressBits;

  /** The first five columns, with a tab after each. */
  String of(Instruction instruction, Operands operands) {
    line.setLength(0);
    addressBits = instruction.addressSize();
    line.append(instruction.length())
        .append('\t')
        .append(mnemonic(operands.mnemonic()))
        .append('\t');
    for (Prefix prefix : PREFIXES) {
      if (operands.has(prefix.prefix)) {
        line.append(prefix.name);
      }
    }
    line.append('\t');
    operands.mask().ifPresent(mask -> line.append(mask).append(operands.isZeroing() ? "z" : ""));
    int memory = operands.memoryOperand();
    if (memory >= 0 && operands.memory(memory).broadcast() > 0) {
      line.append(" 1to").append(operands.memory(memory).broadcast());
    }
    if (operands.rounding() != Rounding.NONE) {
      line.append(' ').append(operands.rounding().text());
    }
    line.append('\t');
    address = ADDRESSES.contains(operands.mnemonic());
    for (Operand operand : shown(operands)) {
      append(operand);
    }
    return line.append('\t').toString();
  }

  /** No registers of NOPs, nothing of XLAT. */
  private static List<Operand> shown(Operands operands) {
    List<Operand> list = operands.list();
    return switch (operands.mnemonic()) {
      case "nop", "reservednop" ->
          list.stream().filter(operand -> operand instanceof Operand.InMemory).toList();
      case "xlatb" -> List.of();
      default -> list;
    };
  }

  /** Conditions have several names. */
  private static String mnemonic(String ours) {
    return MNEMONICS.computeIfAbsent(ours, ZydisLine::theirs);
  }

  private static String theirs(String ours) {
    Matcher matcher = CONDITIONAL.matcher(ours);
    return matcher.matches()
        ? matcher.group(1) + CONDITIONS.get(matcher.group(2))
        : SYNONYMS.getOrDefault(ours, ours);
  }

  private void append(Operand operand) {
    line.append(' ');
    switch (operand) {
      case Operand.InRegister register -> line.append("r:").append(name(register.register()));
      case Operand.InMemory memory -> append(memory);
      case Operand.Immediate number ->
          line.append("i:")
              .append(Long.toHexString(number.value() << 64 - number.bits() >> 64 - number.bits()));
      case Operand.Relative relative ->
          line.append("j:").append(Long.toHexString(relative.offset()));
      case Operand.Far far ->
          line.append("p:")
              .append(Integer.toHexString(far.segment()))
              .append(':')
              .append(Long.toHexString(far.offset()));
    }
  }

  private void append(Operand.InMemory memory) {
    line.append("m:")
        .append(address ? 0 : memory.bytes() * 8)
        .append(':')
        .append(address ? "" : memory.segment())
        .append(':')
        .append(memory.base().map(ZydisLine::name).orElse(""))
        .append(':')
        .append(memory.index().map(ZydisLine::name).orElse(""))
        .append(':')
        .append(memory.index().isPresent() ? memory.scale() : 0)
        .append(':')
        .append(Long.toHexString(displacement(memory)));
  }

  /** An address without registers has no sign; theirs has one. */
  private long displacement(Operand.InMemory memory) {
    boolean signed = memory.base().isPresent() || memory.index().isPresent();
    int unused = 64 - addressBits;
    return signed ? memory.displacement() : memory.displacement() << unused >> unused;
  }

  static String name(Register register) {
    return register.type() == RegisterClass.X87 ? "st" + register.number() : register.toString();
  }
}

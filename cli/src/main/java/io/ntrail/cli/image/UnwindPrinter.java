package io.ntrail.cli.image;

import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.formats.pe.unwind.UnwindInfo.Epilog;
import java.io.PrintStream;
import java.util.Locale;

/**
 * {@code image --unwind FUNCTION}: the entry and its unwind information as debuggers spell them.
 */
final class UnwindPrinter {
  private final PrintStream out;

  UnwindPrinter(PrintStream out) {
    this.out = out;
  }

  /** The entry as stored, then every link of its chain. */
  void print(RuntimeFunction entry, UnwindChain chain) {
    out.printf(Locale.ROOT, "  BeginAddress      = %s%n", Numbers.hex(entry.begin()));
    out.printf(Locale.ROOT, "  EndAddress        = %s%n", Numbers.hex(entry.end()));
    out.printf(
        Locale.ROOT,
        "  UnwindInfoAddress = %s%s%n",
        Numbers.hex(entry.unwindInfo()),
        entry.indirect() ? " (low bit set: another entry describes this range)" : "");
    for (UnwindChain.Link link : chain.links()) {
      info(link.function(), link.info());
    }
    chain.excess().ifPresent(why -> out.printf(Locale.ROOT, "  damaged: %s%n", why));
  }

  private void info(RuntimeFunction function, UnwindInfo info) {
    out.println();
    out.printf(
        Locale.ROOT,
        "  Unwind info at %s, %s%n",
        Numbers.hex(info.rva()),
        Numbers.counted(info.length(), "byte"));
    out.printf(
        Locale.ROOT,
        "    version %d, flags %x%s, prolog %x, codes %x%s%n",
        info.version(),
        info.flags(),
        info.flags() == 0 ? "" : " (" + UnwindText.flags(info) + ")",
        info.prologSize(),
        info.codeCount(),
        info.frameRegister() == 0
            ? ""
            : ", frame reg "
                + UnwindCode.generalName(info.frameRegister())
                + ", frame offs "
                + Integer.toHexString(info.frameOffset()));
    info.damage().ifPresent(why -> out.printf(Locale.ROOT, "    damaged: %s%n", why));
    for (UnwindCode code : info.codes()) {
      code("    ", code);
    }
    for (Epilog epilog : info.epilogs()) {
      epilog(function, info, epilog);
    }
    info.chained()
        .ifPresent(parent ->
            out.printf(
                Locale.ROOT,
                "    chained to %s..%s, unwind info at %s%n",
                Numbers.hex(parent.begin()),
                Numbers.hex(parent.end()),
                Numbers.hex(parent.unwindInfo())));
  }

  private void code(String indent, UnwindCode code) {
    out.println(
        String.format(
                Locale.ROOT,
                "%s%02x: offs %x, unwind op %x, op info %x  %s %s",
                indent,
                code.at(),
                code.offset(),
                code.operation().number(),
                code.info(),
                code.operation().name(),
                UnwindText.operand(code))
            .stripTrailing());
  }

  private void epilog(RuntimeFunction function, UnwindInfo info, Epilog epilog) {
    out.printf(
        Locale.ROOT,
        "    epilog at %s, %s%n",
        Numbers.hex(epilog.startIn(function)),
        info.version() == 2
            ? Numbers.counted(epilog.size(), "byte")
            : "leaves at +" + Integer.toHexString(epilog.size()));
    for (UnwindCode code : epilog.codes()) {
      code("      ", code);
    }
  }
}

package io.ntrail.cli.pt;

import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;

/** Packets in words, for people. */
final class PacketText {
  private PacketText() {}

  /** Returns the packet's name, of which people need not see how long it is. */
  static String name(PacketRow row) {
    return switch (row.type()) {
      case TNT8, TNT64 -> "TNT";
      case MODE_EXEC, MODE_TSX -> "MODE";
      default -> row.type().label();
    };
  }

  /** Returns the value of the fields that matter. */
  static String value(PacketRow row) {
    PacketCursor packet = row.packet();
    return switch (packet.type()) {
      case PAD -> packet.repeats() > 1 ? "x " + Numbers.count(packet.repeats()) : "";
      case TSC, MTC, CYC -> Numbers.hex(packet.value());
      case MODE_EXEC -> "Exec " + number(packet, 3) + (number(packet, 2) != 0 ? " IF" : "");
      case MODE_TSX -> "TSX";
      case TNT8, TNT64 -> packet.branchText().replace("", " ").strip();
      case TIP, TIP_PGE, TIP_PGD, FUP -> packet.hasIp() ? Numbers.hex(packet.ip()) : "";
      case PIP, VMCS -> Numbers.hex(number(packet, 0));
      case CBR -> Long.toString(number(packet, 0));
      case ERROR -> Numbers.counted(packet.length(), "byte");
      default -> row.fieldText();
    };
  }

  /** Returns what the packet says. */
  static String meaning(PacketRow row) {
    PacketCursor packet = row.packet();
    String odd = packet.isOdd() ? ", which no processor writes" : "";
    return switch (packet.type()) {
      case PAD -> packet.repeats() > 1 ? "fillers" : "filler";
      case PSB -> "synchronised";
      case PSBEND -> "end of the header packets";
      case OVF -> "overflow: packets were lost";
      case TRACE_STOP -> "stopped by an address range";
      case TSC, MTC, CYC, TMA -> time(row);
      case CBR -> "core clock " + Numbers.oneDecimal(number(packet, 0) / 10.0) + " GHz";
      case MODE_EXEC -> number(packet, 3) + "-bit mode" + odd;
      case MODE_TSX -> transaction(packet) + odd;
      case TNT8, TNT64 -> packet.branches() == 1 ? "1 branch" : packet.branches() + " branches";
      case TIP -> packet.hasIp() ? "target" : "target outside of what is traced";
      case TIP_PGE -> "tracing starts here";
      case TIP_PGD -> packet.hasIp() ? "tracing ends before this" : "tracing ends";
      case FUP -> packet.hasIp() ? "here" : "at an address that is not told";
      case PIP -> "address space" + (number(packet, 1) != 0 ? " of a guest" : "");
      case VMCS -> "virtual machine";
      case PTW -> "operand of PTWRITE";
      case EXSTOP -> "the core stops";
      case MWAIT -> "hints of MWAIT";
      case PWRE -> "power state begins";
      case PWRX -> "power state ended";
      case BBP -> "a block of items begins";
      case BEP -> "the block ends";
      case BIP -> "item of the block";
      case CFE -> "control flow event";
      case EVD -> "data of a control flow event";
      case TRIG -> "trigger";
      case MNT -> "for maintenance";
      case ERROR -> packet.error().text();
    };
  }

  private static long number(PacketCursor packet, int field) {
    return packet.field(packet.type().fields().get(field));
  }

  private static String transaction(PacketCursor packet) {
    if (number(packet, 1) != 0) {
      return "transaction aborts";
    }
    return number(packet, 0) != 0 ? "in a transaction" : "no transaction";
  }

  private static String time(PacketRow row) {
    if (row.packet().isDamagedTma()) {
      return "damaged by the processor: tells nothing";
    }
    if (row.type() == PacketType.TMA || row.tsc() < 0) {
      return row.tsc() < 0 ? "time not known yet" : "";
    }
    return row.clock().knowsNanos()
        ? Numbers.count(row.nanos()) + " ns"
        : "+" + Numbers.count(row.tsc() - row.clock().firstTsc()) + " ticks";
  }
}

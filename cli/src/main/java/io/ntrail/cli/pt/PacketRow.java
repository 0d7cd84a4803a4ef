package io.ntrail.cli.pt;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketField;
import io.ntrail.formats.pt.PacketField.Kind;
import io.ntrail.formats.pt.PacketType;
import org.jspecify.annotations.Nullable;

/**
 * The packet that a cursor stands on as a row: a flyweight, too.
 *
 * @param clock has taken this packet
 * @param pad which of several PADs it is, from 0
 * @param length in bytes: of one PAD, or of all of them
 * @param asLibipt whether fields are read as libipt reads them, where it errs
 */
record PacketRow(PacketCursor packet, PacketClock clock, long pad, long length, boolean asLibipt) {
  /** The bit that libipt takes for that of the hardware. */
  private static final PacketField LIBIPT_HW = new PacketField("hw", Kind.NUMBER, 2, 3, 1, 0);

  /** One bit less than the field has. */
  private static final PacketField LIBIPT_TYPE = new PacketField("type", Kind.NUMBER, 2, 0, 5, 0);

  /** Returns the bits of a field. */
  private PacketField read(PacketField field) {
    boolean isHardware = type() == PacketType.PWRE && field.name().equals(LIBIPT_HW.name());
    boolean isData = type() == PacketType.EVD && field.name().equals(LIBIPT_TYPE.name());
    return !asLibipt ? field : isHardware ? LIBIPT_HW : isData ? LIBIPT_TYPE : field;
  }

  PacketType type() {
    return packet.type();
  }

  boolean isDamage() {
    return type() == PacketType.ERROR;
  }

  long offset() {
    return packet.offset() + pad;
  }

  @Nullable String why() {
    return isDamage() ? packet.error().text() : null;
  }

  /** Returns the nanoseconds since the first time stamp, if the clock knows them. */
  long nanos() {
    return clock.nanos();
  }

  /** Returns the time stamp counter, or -1. */
  long tsc() {
    return clock.isKnown() ? clock.tsc() : -1;
  }

  /** Writes the fields as members of an object. */
  void fields(Json json) {
    json.object();
    for (PacketField field : type().fields()) {
      if (!packet.has(field)) {
        json.unknown(field.name());
      } else if (field.isHex() || field.kind() == Kind.BRANCHES) {
        json.text(field.name(), value(field));
      } else {
        json.number(field.name(), packet.field(read(field)));
      }
    }
    json.endObject();
  }

  /** Returns the fields as {@code name=value} with blanks between them. */
  String fieldText() {
    StringBuilder text = new StringBuilder();
    for (PacketField field : type().fields()) {
      if (packet.has(field)) {
        text.append(text.isEmpty() ? "" : " ").append(field.name()).append('=');
        text.append(value(field));
      }
    }
    return text.toString();
  }

  private String value(PacketField field) {
    if (field.kind() == Kind.BRANCHES) {
      return packet.branchText();
    }
    long value = packet.field(read(field));
    return field.isHex() ? Numbers.hex(value) : Long.toString(value);
  }
}

package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;

/**
 * {@code TIME_ZONE_INFORMATION} (172 bytes): the zone of the machine that recorded. UTC = local
 * time + bias.
 *
 * @param bias minutes
 * @param standardName name outside daylight saving time
 * @param standardDate when it begins
 * @param standardBias minutes added to {@code bias} then
 * @param daylightName name in daylight saving time
 * @param daylightDate when that begins
 * @param daylightBias minutes added to {@code bias} then
 */
public record TimeZoneInformation(
    int bias,
    String standardName,
    SystemTime standardDate,
    int standardBias,
    String daylightName,
    SystemTime daylightDate,
    int daylightBias) {

  /** {@code SYSTEMTIME}; in rules of a zone, {@code day} counts weeks and 5 is the last one. */
  public record SystemTime(
      int year,
      int month,
      int dayOfWeek,
      int day,
      int hour,
      int minute,
      int second,
      int milliseconds) {

    static SystemTime read(Bytes bytes, int at) {
      return new SystemTime(
          bytes.u16(at),
          bytes.u16(at + 2),
          bytes.u16(at + 4),
          bytes.u16(at + 6),
          bytes.u16(at + 8),
          bytes.u16(at + 10),
          bytes.u16(at + 12),
          bytes.u16(at + 14));
    }
  }

  static TimeZoneInformation read(Bytes bytes, int at) {
    return new TimeZoneInformation(
        bytes.i32(at),
        bytes.utf16z(at + 4, at + 68),
        SystemTime.read(bytes, at + 68),
        bytes.i32(at + 84),
        bytes.utf16z(at + 88, at + 152),
        SystemTime.read(bytes, at + 152),
        bytes.i32(at + 168));
  }
}

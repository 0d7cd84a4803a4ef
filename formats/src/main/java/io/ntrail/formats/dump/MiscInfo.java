package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.context.XStateLayout;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * About the process (MINIDUMP_MISC_INFO to MINIDUMP_MISC_INFO_5: each version is longer than the
 * one before, and bits say what of it was filled).
 *
 * @param size as the structure says
 * @param processId id of the process
 * @param times when it began and how much time it used
 * @param power speeds of the processor
 * @param integrity level of the process (SECURITY_MANDATORY_*_RID)
 * @param executeFlags DEP of the process
 * @param protectedProcess 1 if it is protected
 * @param timeZone of the machine
 * @param build text of the build of Windows
 * @param debugBuild text of the build of the writer (dbghelp or dbgcore)
 * @param xstate places of extended state in contexts
 */
public record MiscInfo(
    long size,
    OptionalLong processId,
    Optional<Times> times,
    Optional<Power> power,
    OptionalLong integrity,
    OptionalLong executeFlags,
    OptionalLong protectedProcess,
    Optional<TimeZone> timeZone,
    String build,
    String debugBuild,
    Optional<XStateLayout> xstate) {
  /**
   * Times of the process.
   *
   * @param created seconds since 1970 UTC
   * @param user seconds that it ran in user mode
   * @param kernel seconds that it ran in kernel mode
   */
  public record Times(long created, long user, long kernel) {}

  /** Speeds of the processor in MHz. */
  public record Power(long maximum, long current, long limit) {}

  /**
   * Time zone of the machine.
   *
   * @param id TIME_ZONE_ID_: 1 standard time, 2 daylight time
   * @param bias minutes that local time is behind UTC
   * @param standardName its name in winter
   */
  public record TimeZone(long id, int bias, String standardName) {}

  static final int LEAST = 24;
  private static final int WITH_POWER = 44;
  private static final int WITH_ZONE = 232;
  private static final int WITH_BUILD = 832;
  private static final int WITH_XSTATE = 1364;

  private static final int PROCESS_ID = 1;
  private static final int PROCESS_TIMES = 2;
  private static final int PROCESSOR_POWER = 4;
  private static final int INTEGRITY = 0x10;
  private static final int EXECUTE_FLAGS = 0x20;
  private static final int TIMEZONE = 0x40;
  private static final int PROTECTED = 0x80;
  private static final int BUILDSTRING = 0x100;

  static MiscInfo read(Bytes bytes) {
    int flags = bytes.i32(4);
    int length = bytes.length();
    boolean isLong = length >= WITH_ZONE;
    boolean hasBuild = length >= WITH_BUILD && (flags & BUILDSTRING) != 0;
    return new MiscInfo(
        bytes.u32(0),
        number(bytes, 8, (flags & PROCESS_ID) != 0),
        (flags & PROCESS_TIMES) != 0
            ? Optional.of(new Times(bytes.u32(12), bytes.u32(16), bytes.u32(20)))
            : Optional.empty(),
        length >= WITH_POWER && (flags & PROCESSOR_POWER) != 0
            ? Optional.of(new Power(bytes.u32(24), bytes.u32(28), bytes.u32(32)))
            : Optional.empty(),
        number(bytes, 0x2C, isLong && (flags & INTEGRITY) != 0),
        number(bytes, 0x30, isLong && (flags & EXECUTE_FLAGS) != 0),
        number(bytes, 0x34, isLong && (flags & PROTECTED) != 0),
        isLong && (flags & TIMEZONE) != 0
            ? Optional.of(new TimeZone(bytes.u32(0x38), bytes.i32(0x3C), bytes.utf16z(0x40, 0x80)))
            : Optional.empty(),
        hasBuild ? bytes.utf16z(0xE8, 0x2F0) : "",
        hasBuild ? bytes.utf16z(0x2F0, 0x340) : "",
        length >= WITH_XSTATE ? Optional.of(XStateLayout.read(bytes, 0x348)) : Optional.empty());
  }

  private static OptionalLong number(Bytes bytes, int at, boolean isThere) {
    return isThere ? OptionalLong.of(bytes.u32(at)) : OptionalLong.empty();
  }
}

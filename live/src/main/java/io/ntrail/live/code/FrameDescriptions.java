package io.ntrail.live.code;

/**
 * Descriptions in the form of {@code .eh_frame} of the frames of slots, for C++ exceptions of GNU
 * compilers that follow return addresses (the model DW2). They are to be registered with the libgcc
 * that unwinds, before the first exception.
 */
public interface FrameDescriptions {
  /**
   * Returns the description of all slots, with its end.
   *
   * @param begin where areas begin
   * @param length of all of them
   * @param personality address of {@link #personality}; 0: nothing is recorded
   */
  byte[] description(long begin, long length, long personality);

  /** Returns the size of a description at most. */
  int most();

  /**
   * Returns a routine that records each frame that an exception leaves. Not for sessions that add
   * calls up.
   *
   * @param getIp address of {@code _Unwind_GetIP} of the same libgcc
   * @param at where the routine will lie
   */
  byte[] personality(long getIp, long at);
}

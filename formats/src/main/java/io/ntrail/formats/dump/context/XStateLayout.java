package io.ntrail.formats.dump.context;

import io.ntrail.formats.bytes.Bytes;

/**
 * Places of the components of extended state: XSTATE_CONFIG_FEATURE_MSC_INFO of a dump, else the
 * sizes that all processors have.
 */
public final class XStateLayout {
  /** AVX: the upper halves of YMM registers. */
  public static final int AVX = 2;

  /** CET user state: IA32_U_CET and the shadow stack pointer. */
  public static final int CET_USER = 11;

  /** Number of components that the masks have bits for. */
  static final int FEATURES = 63;

  private static final int ROWS = 64;
  private static final int TILE_DATA = 18;

  /** Layout of a dump that does not describe one. */
  public static final XStateLayout STANDARD = new XStateLayout(0, new int[ROWS], standardSizes());

  private final long enabled;
  private final int[] offsets;
  private final int[] sizes;

  private XStateLayout(long enabled, int[] offsets, int[] sizes) {
    this.enabled = enabled;
    this.offsets = offsets;
    this.sizes = sizes;
  }

  private static int[] standardSizes() {
    int[] sizes = new int[ROWS];
    sizes[AVX] = 256;
    sizes[3] = 64;
    sizes[4] = 64;
    sizes[5] = 64;
    sizes[6] = 512;
    sizes[7] = 1024;
    sizes[8] = 128;
    sizes[9] = 8;
    sizes[10] = 8;
    sizes[CET_USER] = 16;
    sizes[12] = 24;
    sizes[17] = 64;
    sizes[TILE_DATA] = 8192;
    return sizes;
  }

  /**
   * Reads the table.
   *
   * @param at offset of its EnabledFeatures, which 64 pairs of offset and size follow
   */
  public static XStateLayout read(Bytes bytes, int at) {
    int[] offsets = new int[ROWS];
    int[] sizes = standardSizes();
    for (int feature = 0; feature < ROWS; feature++) {
      int size = bytes.i32(at + 12 + 8 * feature);
      offsets[feature] = Math.max(0, bytes.i32(at + 8 + 8 * feature));
      if (size > 0) {
        sizes[feature] = size;
      }
    }
    return new XStateLayout(bytes.i64(at), offsets, sizes);
  }

  /** Returns the mask of the features that Windows had enabled; 0 if unknown. */
  public long enabled() {
    return enabled;
  }

  /** Returns the offset of a component in a standard XSAVE area; 0 if unknown. */
  int offset(int feature) {
    return offsets[feature];
  }

  /** Returns the bytes of a component; 0 if unknown. */
  int size(int feature) {
    return sizes[feature];
  }

  /** Returns true if compacted areas hold a component at a multiple of 64 bytes. */
  static boolean isAligned(int feature) {
    return feature == TILE_DATA;
  }
}

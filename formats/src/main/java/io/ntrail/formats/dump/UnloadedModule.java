package io.ntrail.formats.dump;

import io.ntrail.formats.identity.ImageId;

/**
 * A module that was loaded before and is not any more (MINIDUMP_UNLOADED_MODULE).
 *
 * @param base address that it had
 * @param size SizeOfImage
 * @param checksum of its header
 * @param timestamp TimeDateStamp of its header
 * @param path its file name, mostly without a folder
 */
public record UnloadedModule(long base, long size, long checksum, long timestamp, String path) {
  /** Returns its identity as an image. */
  public ImageId id() {
    return new ImageId(timestamp, size);
  }
}

package io.ntrail.formats.bytes;

import io.ntrail.formats.bytes.CannotGoOn.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Refusal of what has a name like a file and cannot be read like one: pipes, devices, sockets. */
public final class SpecialFile {
  private static final int KIND = 0xF000;
  private static final int PIPE = 0x1000;
  private static final int CHARACTERS = 0x2000;
  private static final int BLOCKS = 0x6000;
  private static final int SOCKET = 0xC000;

  private SpecialFile() {}

  /**
   * Makes sure that a path does not lead to a pipe, a device or a socket. Opening a pipe would wait
   * for whoever writes into it.
   *
   * @param name of the file in messages
   * @throws CannotGoOn with the kind of the file
   */
  public static void refuse(Path path, String name) {
    if (Files.isRegularFile(path) || Files.isDirectory(path) || !Files.exists(path)) {
      return;
    }
    String kind = kind(path);
    String copy =
        kind.equals(" is a named pipe")
            ? "cat " + ShellWords.file(path) + " > copy, then read the copy"
            : "copy its content into a file, then read the copy";
    throw CannotGoOn.of(
        Reason.SPECIAL_FILE,
        name,
        name + kind + ": files are read at any place, not in order",
        copy);
  }

  private static String kind(Path path) {
    int mode = 0;
    try {
      mode = Files.getAttribute(path, "unix:mode") instanceof Integer all ? all & KIND : 0;
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      // Not a system that tells.
    }
    return switch (mode) {
      case PIPE -> " is a named pipe";
      case CHARACTERS -> " is a device (of characters)";
      case BLOCKS -> " is a device (of blocks)";
      case SOCKET -> " is a socket";
      default -> " is not a file";
    };
  }
}

package io.ntrail.live.windows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Maps paths between the target's system and this machine. */
public final class TargetPaths {
  private static final String TO_HERE = "kernel32!wine_get_unix_file_name";
  private static final String TO_THERE = "kernel32!wine_get_dos_file_name";

  /** Prefix of paths in Wine's loader for files that lie on no drive. */
  private static final String ON_NO_DRIVE = "unix\\";

  private static final int PIECE = 256;
  private static final int MOST = 8192;

  /** System folder as 32-bit programs see it on a 64-bit system, which hands them another one. */
  private static final Pattern SYSTEM =
      Pattern.compile("(?i)^([a-z]:\\\\[^\\\\]+\\\\)system32\\\\");

  private TargetPaths() {}

  /** Returns the path of a file that a 32-bit program on a 64-bit system knows by another one. */
  public static String of32Bits(String path) {
    return SYSTEM.matcher(path).replaceFirst("$1syswow64\\\\");
  }

  /** Returns the local file for a path of the target's system. */
  public static Optional<Path> here(WindowsApi calls, String path) {
    if (calls.find(TO_HERE) == 0) {
      return path(path);
    }
    Optional<Path> known = calls.drives().find(path);
    if (known.isPresent()) {
      return known;
    }
    String whole = path.startsWith(ON_NO_DRIVE) ? "\\\\?\\" + path : path;
    long text = calls.put(WindowsApi.PAGE, new BytesBuilder(256).utf16z(whole));
    byte[] name = taken(calls, calls.call(TO_HERE, text).result(), 1);
    Optional<Path> here =
        name.length == 0 ? Optional.empty() : path(new String(name, StandardCharsets.UTF_8));
    here.ifPresent(file -> calls.drives().learn(path, file));
    return here;
  }

  /** Returns the name of a local file on the target's system. */
  public static String there(WindowsApi calls, Path file) {
    String plain = file.toAbsolutePath().normalize().toString();
    if (calls.find(TO_THERE) == 0) {
      return plain;
    }
    byte[] bytes = plain.getBytes(StandardCharsets.UTF_8);
    long text = calls.put(WindowsApi.PAGE, new BytesBuilder(256).bytes(bytes).u8(0));
    byte[] name = taken(calls, calls.call(TO_THERE, text).result(), 2);
    return name.length == 0 ? plain : new String(name, StandardCharsets.UTF_16LE);
  }

  private static Optional<Path> path(String text) {
    try {
      return Optional.of(Path.of(text));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** Reads a text that the system allocated, up to its NUL, and frees it. */
  private static byte[] taken(WindowsApi calls, long address, int width) {
    if (address == 0) {
      return new byte[0];
    }
    BytesBuilder text = new BytesBuilder(PIECE);
    boolean ended = false;
    while (!ended && text.size() < MOST) {
      // Up to the end of a page: what lies behind it may be no memory.
      long at = address + text.size();
      int size = (int) Math.min(PIECE, WindowsApi.PAGE - (at & WindowsApi.PAGE - 1));
      Bytes piece = calls.agent().peek(at, Math.max(width, size));
      int letters = 0;
      while (letters + width <= piece.length() && !piece.isZero(letters, width)) {
        letters += width;
      }
      text.bytes(piece.array(0, letters));
      ended = letters + width <= piece.length();
    }
    calls.call(
        List.of(
            calls.prepare("kernel32!GetProcessHeap"),
            calls.prepare("kernel32!HeapFree", 0, 0, address).referring(0, 0, 0)));
    return text.toArray();
  }
}

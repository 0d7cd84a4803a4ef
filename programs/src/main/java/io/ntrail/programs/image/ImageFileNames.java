package io.ntrail.programs.image;

import java.util.Locale;
import java.util.Set;

/** File names that PE images usually have. */
public final class ImageFileNames {
  private static final Set<String> SUFFIXES =
      Set.of(
          "exe", "dll", "sys", "ocx", "cpl", "drv", "efi", "mui", "scr", "ax", "acm", "com",
          "winmd", "node", "pyd", "bin", "tsp", "ime", "rs", "mun");

  private ImageFileNames() {}

  /** Returns true if the suffix of a file name is one of images, in any case. */
  public static boolean isImageName(String name) {
    int dot = name.lastIndexOf('.');
    return dot >= 0 && SUFFIXES.contains(name.substring(dot + 1).toLowerCase(Locale.ROOT));
  }
}

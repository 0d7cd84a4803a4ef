package io.ntrail.live.trace;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Folders that a program may load libraries from besides its own, by its command line and its
 * environment: those of files that are named, and where Node.js and Python look for packages.
 */
final class LibraryFolders {
  /** Folder in which Node.js looks for packages, in each folder above a script. */
  private static final String PACKAGES = "node_modules";

  /** Variables with lists of folders of packages. */
  private static final List<String> VARIABLES = List.of("NODE_PATH", "PYTHONPATH");

  private LibraryFolders() {}

  /**
   * Returns the folders that exist, those nearest to the program first.
   *
   * @param working the working folder
   * @param words the program and its arguments
   * @param environment variables of the program
   */
  static List<Path> of(Path working, List<String> words, Map<String, String> environment) {
    List<Path> named = new ArrayList<>(List.of(working.toAbsolutePath()));
    for (String word : words.subList(1, words.size())) {
      path(word)
          .map(working::resolve)
          .filter(Files::isRegularFile)
          .ifPresent(file -> named.add(file.toAbsolutePath().resolveSibling("")));
    }
    Set<Path> folders = new LinkedHashSet<>(named);
    for (Path folder : named) {
      for (Path above = folder; above != null; above = above.getParent()) {
        folders.add(above.resolve(PACKAGES));
      }
    }
    for (String variable : VARIABLES) {
      for (String part : environment.getOrDefault(variable, "").split(File.pathSeparator, -1)) {
        path(part).filter(Path::isAbsolute).ifPresent(folders::add);
      }
    }
    return folders.stream().filter(Files::isDirectory).toList();
  }

  private static Optional<Path> path(String word) {
    try {
      return word.isEmpty() ? Optional.empty() : Optional.of(Path.of(word));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}

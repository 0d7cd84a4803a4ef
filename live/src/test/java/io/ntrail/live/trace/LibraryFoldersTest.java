package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders in which libraries are searched before a program loads them. */
final class LibraryFoldersTest {
  @TempDir Path folder;

  @Test
  void theWorkingFolderIsSearchedAndThoseOfFilesThatAreNamed() throws IOException {
    Path working = made("work");
    Path script = Files.writeString(made("scripts").resolve("run.js"), "");
    assertEquals(
        List.of(working, script.getParent()), of(working, Map.of(), "--flag", script.toString()));
  }

  @Test
  void packagesOfNodeAreSearchedInEachFolderAboveAScript() throws IOException {
    Path working = made("work");
    Path packages = made("project/node_modules");
    Path script = Files.writeString(made("project/source/tools").resolve("run.js"), "");
    assertEquals(
        List.of(working, script.getParent(), packages), of(working, Map.of(), script.toString()));
  }

  @Test
  void foldersOfPackagesInTheEnvironmentAreSearchedIfTheyExist() throws IOException {
    Path working = made("work");
    Path packages = made("packages");
    String list = String.join(File.pathSeparator, "", packages.toString(), "relative", "/no/such");
    assertEquals(List.of(working, packages), of(working, Map.of("NODE_PATH", list)));
  }

  @Test
  void wordsThatAreNoFilesAddNothing() throws IOException {
    Path working = made("work");
    assertEquals(List.of(working), of(working, Map.of(), "", "\0", "-e", "require('x')"));
  }

  private Path made(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  private static List<Path> of(Path working, Map<String, String> environment, String... arguments) {
    List<String> words = new ArrayList<>(List.of("program.exe"));
    words.addAll(List.of(arguments));
    return LibraryFolders.of(working, words, environment);
  }
}

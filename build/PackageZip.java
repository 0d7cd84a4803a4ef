import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Zips a folder so that programs stay executable, which {@code jar} does not do, and so that the same
 * files give the same bytes: in order of their names, with one time.
 */
final class PackageZip {
  private static final FileTime TIME = FileTime.from(Instant.parse("2020-01-01T00:00:00Z"));

  private PackageZip() {}

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    Path archive = Path.of(args[1]);
    Map<String, ?> options = Map.of("create", "true", "enablePosixFileAttributes", "true");
    List<Path> files;
    try (Stream<Path> tree = Files.walk(folder)) {
      files = tree.filter(Files::isRegularFile).sorted().toList();
    }
    try (FileSystem zip = FileSystems.newFileSystem(URI.create("jar:" + archive.toUri()), options)) {
      for (Path file : files) {
        Path entry = zip.getPath(folder.getParent().relativize(file).toString().replace('\\', '/'));
        Files.createDirectories(entry.getParent());
        Files.copy(file, entry);
        boolean isProgram = Files.isExecutable(file);
        Files.setPosixFilePermissions(
            entry, PosixFilePermissions.fromString(isProgram ? "rwxr-xr-x" : "rw-r--r--"));
        setTime(entry);
      }
      try (Stream<Path> tree = Files.walk(zip.getPath("/"))) {
        for (Path made : tree.filter(Files::isDirectory).skip(1).toList()) {
          Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
          setTime(made);
        }
      }
    }
  }

  private static void setTime(Path entry) throws IOException {
    Files.getFileAttributeView(entry, BasicFileAttributeView.class).setTimes(TIME, TIME, TIME);
  }
}

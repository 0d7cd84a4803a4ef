package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.machine.Volumes;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.programs.symbols.ImageFileRequest;
import io.ntrail.programs.symbols.OpenImage;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Files of images on the machine that was recorded, at the paths that the recording has. One counts
 * only if time stamp and size are the recorded ones: it may have been updated meanwhile.
 */
public final class MachineImages {
  /** Path on a drive: neither a share, which would be asked for it, nor a device. */
  private static final Pattern ON_DRIVE = Pattern.compile("[A-Za-z]:\\\\[^:]+");

  private final Volumes volumes;
  private final Function<String, Path> files;

  private MachineImages(Volumes volumes, Function<String, Path> files) {
    this.volumes = volumes;
    this.files = files;
  }

  /**
   * Returns the images of a machine; empty if the recording is of another one or of another boot.
   *
   * @param files returns the file of a path such as {@code C:\Windows\System32\ntdll.dll}
   */
  public static Optional<MachineImages> of(
      RunningWindows machine, EtwRecording recording, Function<String, Path> files) {
    return RecordedBoot.of(recording).contradiction(machine).isPresent()
        ? Optional.empty()
        : Optional.of(new MachineImages(Volumes.of(MachineRecords.mappings(machine)), files));
  }

  /**
   * Finds the file of an image.
   *
   * @param path as the kernel writes it
   */
  Optional<OpenImage> find(String path, ImageFileRequest sought) {
    String local = volumes.path(path);
    if (!ON_DRIVE.matcher(local).matches()) {
      return Optional.empty();
    }
    try {
      Path file = files.apply(local);
      return Files.isRegularFile(file)
          ? Optional.of(sought.open(file, "", file.toString()))
          : Optional.empty();
    } catch (CannotGoOn | InvalidPathException e) {
      // Another build, or nothing that can be opened.
      return Optional.empty();
    }
  }
}

package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.formats.identity.RunningWindows.Volume;
import io.ntrail.programs.symbols.ImageFileRequest;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.pe.SmallPe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of images on the recorded machine, by the paths that the kernel has for them. */
class MachineImagesTest {
  private static final long BOOT = 134_000_000_005_000_000L;
  private static final int BUILD = 26100;
  private static final int STAMP = 0x5A5A_0001;
  private static final int SIZE = 0x2000;

  @TempDir private Path folder;
  private final List<String> asked = new ArrayList<>();
  private Path image;

  @BeforeEach
  void begin() throws IOException {
    byte[] file = new SmallPe(0x8664).file();
    LittleEndian.putU32(file, 0x40 + 8, STAMP);
    LittleEndian.putU32(file, 0x40 + 0x50, SIZE);
    image = Files.write(folder.resolve("a.dll"), file);
  }

  private static RunningWindows machine(int build) {
    return new RunningWindows(
        BOOT,
        10_000_000,
        build,
        List.of(),
        "C:\\Windows\\system32",
        "C:\\Windows\\",
        0,
        "",
        "",
        List.of(
            new Volume("\\Device\\HarddiskVolume1\\", "D:\\"),
            new Volume("\\Device\\HarddiskVolume12\\", "C:\\")));
  }

  /** Returns the images of a machine on which every path leads to one file. */
  private Optional<MachineImages> images(int build) {
    EtlSettings settings =
        EtlSettings.windows11().version(10, 0, BUILD, 1, 5).bootTime(BOOT).perfFreq(10_000_000);
    byte[] file = new EtlWriter(settings).toByteArray();
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "in.etl")))) {
      return MachineImages.of(
          machine(build),
          recording,
          path -> {
            asked.add(path);
            return image;
          });
    }
  }

  private boolean isFound(String path, int stamp) {
    ImageFileRequest sought = ImageFileRequest.of("a.dll", new ImageId(stamp, SIZE)).orElseThrow();
    Optional<OpenImage> found = images(BUILD).orElseThrow().find(path, sought);
    found.ifPresent(OpenImage::close);
    return found.isPresent();
  }

  @Test
  void pathsOfTheKernelLeadToTheirDrives() {
    for (String path :
        List.of(
            "\\Device\\HarddiskVolume12\\x\\a.dll",
            "\\Device\\HarddiskVolume1\\x\\a.dll",
            "\\SystemRoot\\System32\\a.dll",
            "\\Windows\\System32\\a.dll",
            "\\??\\C:\\x\\a.dll",
            "C:\\x\\a.dll")) {
      assertTrue(isFound(path, STAMP), path);
    }
    assertEquals(
        List.of(
            "C:\\x\\a.dll",
            "D:\\x\\a.dll",
            "C:\\Windows\\System32\\a.dll",
            "C:\\Windows\\System32\\a.dll",
            "C:\\x\\a.dll",
            "C:\\x\\a.dll"),
        asked);
  }

  @Test
  void noOtherMachineAndNoDeviceIsAsked() {
    for (String path :
        List.of(
            "\\Device\\Mup\\srv\\share\\a.dll",
            "\\Device\\LanmanRedirector\\srv\\share\\a.dll",
            "\\\\srv\\share\\a.dll",
            "\\??\\UNC\\srv\\share\\a.dll",
            "\\Device\\HarddiskVolume9\\x\\a.dll",
            "\\Device\\NamedPipe\\a.dll",
            "\\x\\a.dll",
            "C:\\x\\a.dll:stream",
            "C:a.dll",
            "a.dll",
            "")) {
      assertTrue(!isFound(path, STAMP), path);
    }
    assertEquals(List.of(), asked);
  }

  @Test
  void aFileOfAnotherBuildIsNotTheImage() throws IOException {
    assertTrue(!isFound("C:\\x\\a.dll", STAMP + 1));
    Files.write(image, new byte[100]);
    assertTrue(!isFound("C:\\x\\a.dll", STAMP));
    Files.delete(image);
    assertTrue(!isFound("C:\\x\\a.dll", STAMP));
    assertEquals(3, asked.size());
  }

  @Test
  void anotherMachineHasNone() {
    assertTrue(images(BUILD + 1).isEmpty());
  }
}

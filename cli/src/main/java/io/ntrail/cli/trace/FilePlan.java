package io.ntrail.cli.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.plan.TracePlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Plan of a file that is not started: of a library, or of a program where nothing runs programs.
 *
 * @param subject the file
 * @param plan of this module alone
 */
record FilePlan(PlanSubject subject, TracePlan plan) {
  /** Returns the plan of a library; empty if the request is for something else. */
  static Optional<FilePlan> ofLibrary(TraceRequest request) throws IOException {
    return of(request, true);
  }

  /**
   * Returns the plan of a program's file.
   *
   * @param why it cannot be started
   * @return empty if its file is not here
   */
  static Optional<FilePlan> ofProgram(TraceRequest request, String why) throws IOException {
    return of(request, false)
        .map(its -> new FilePlan(its.subject, its.plan.with(remark(its, why))));
  }

  private static String remark(FilePlan its, String why) {
    return "%s was planned from its file, without the libraries that it loads: %s"
        .formatted(its.subject.program(), why);
  }

  private static Optional<FilePlan> of(TraceRequest request, boolean isLibrary) throws IOException {
    Optional<Path> file = file(request);
    if (file.isEmpty()) {
      return Optional.empty();
    }
    Optional<PlanSubject> subject = subject(file.get(), isLibrary);
    return subject.isEmpty()
        ? Optional.empty()
        : Optional.of(new FilePlan(subject.get(), TracePlan.of(file.get(), request)));
  }

  private static Optional<PlanSubject> subject(Path file, boolean isLibrary) throws IOException {
    String name = String.valueOf(file.getFileName());
    try (InputFile input = InputFile.map(file, name)) {
      PeHeaders headers = PeImage.ofFile(input).headers();
      return isLibrary && !headers.is(PeHeaders.DLL)
          ? Optional.empty()
          : Optional.of(
              new PlanSubject(
                  name,
                  MachineType.text(headers.machine()),
                  OptionalLong.empty(),
                  file.toString()));
    } catch (CannotGoOn | DamagedInput e) {
      // Not an image: whoever starts it says so.
      return Optional.empty();
    }
  }

  private static Optional<Path> file(TraceRequest request) {
    if (!request.planOnly() || !request.process().isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Path.of(request.words().getFirst())).filter(Files::isRegularFile);
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}

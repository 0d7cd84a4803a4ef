package io.ntrail.analysis.etw.machine;

/**
 * Numbers of processes, threads and images; 0 if the recording has no records of that kind.
 *
 * @param processes processes, each from its beginning to its end counted once
 * @param threads threads
 * @param images image files, distinguished by path and size
 * @param imagesWithPdbId how many of them have the GUID and age of their PDB in a merge's record of
 *     the class ImageID, for one of the places at least where they were loaded
 * @param leftOut records that were skipped at the memory limit: there may then be more
 */
public record MachineCounts(
    long processes, long threads, long images, long imagesWithPdbId, long leftOut) {}

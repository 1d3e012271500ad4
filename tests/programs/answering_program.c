// A program for model.kind = "program" in C, written from runtime/program/README.md alone. Its objective is
//
//     f_i(x) = (1/m_i) sum_s (1/2) ||x - a_s||^2        a_s[k] = ((7 s + 3 k + 5 i) mod 11) / 8
//
// with d = 6 and m_i = 12, in float. It counts |x| < 1 as a hit of one judged sample for each coordinate. Its
// argument may ask for a fault, at the gradient of iteration 5 at peer 1:
//
//     fail       answers that it failed          leave   leaves with a word       exit     ends with code 1
//     crash      kills itself, every time        crash-once                       stop     asks the run to end
//     slow       a gradient never ends           lie     breaks the protocol
//     deaf       closes its socket once, and lives on; the file deaf has the number of its process
//     nan        a score that is no number, at peer 1
//     fail-first   at peer 0, answers that it failed
//     exit-in-score, slow-score     ends with code 0 at its first score; a score never ends: at peer 1
//     nan-gradient, inf-gradient   a gradient with such a coordinate: 3
//
// after that gradient, before the next question:
//
//     leave-between   leaves with a word          exit-between   ends with code 7
//     kill-between    kills itself, once
//
// after its second score, at peer 1:
//
//     kill-after-last   kills itself              exit-after-last   ends with code 5
//
// after the end of the run, at peer 1:
//
//     fail-after      ends with code 5            crash-once-fail-after     the same, after crash-once
//     kill-after      kills itself
//
// before it has said where it begins, at peer 1:
//
//     kill-before-hello, kill-before-x0      kills itself, once
//     crash-before-hello                     kills itself, every time
//     slow-hello, slow-x0, slow-first        never says its hello or where it begins, never answers its first gradient
//     slow-hellos                            peers 1 and 2 never say their hello
//
// as soon as it has said where it begins, at peers 0 and 2: kill-after-x0 (kills itself)
//
// or at all peers: random (gradients that do not repeat; random-at-1: at peer 1), elsewhere (another x_0 at
// peer 1), mask (another buffer at peer 1), more (a buffer at peer 1 alone), layers, double, larger (another d at peer 1), fewer (11 samples at peer 1), nothing (no samples), large (d = 30,000), bad-hello, mute, forget (another x_0 at
// the second start).

#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int channel, peer, dimension = 6, samples = 12;
static const char* fault = "";

static double target(int64_t s, int k) { return (double)((7 * s + 3 * k + 5 * peer) % 11) / 8.0; }

static int has(const char* name) { return strcmp(fault, name) == 0; }

static void answer(uint64_t number, uint32_t outcome, double loss, uint64_t hits, uint64_t judged,
                   const char* text) {
  char bytes[40 + 2048];
  const uint32_t flags = 0;
  const size_t length = strlen(text);
  memcpy(bytes, &number, 8);
  memcpy(bytes + 8, &outcome, 4);
  memcpy(bytes + 12, &flags, 4);
  memcpy(bytes + 16, &loss, 8);
  memcpy(bytes + 24, &hits, 8);
  memcpy(bytes + 32, &judged, 8);
  memcpy(bytes + 40, text, length);
  if (send(channel, bytes, 40 + length, MSG_NOSIGNAL) < 0) exit(0);
}

static size_t number_at(const char* json, const char* key) {
  const char* const found = strstr(json, key);
  if (found == NULL) exit(4);
  return strtoull(strchr(found, ':') + 1, NULL, 10);
}

// Receives the facts and the descriptor of the memory beside them.
static int receive_facts(char* facts, size_t room) {
  char beside[CMSG_SPACE(sizeof(int))];
  struct iovec part = {facts, room - 1};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = beside;
  message.msg_controllen = sizeof beside;
  const ssize_t length = recvmsg(channel, &message, 0);
  if (length <= 0) exit(0);
  facts[length] = '\0';
  const struct cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  if (rights == NULL) {
    fprintf(stderr, "refused: %s\n", facts);
    exit(2);
  }
  int descriptor;
  memcpy(&descriptor, CMSG_DATA(rights), sizeof descriptor);
  return descriptor;
}

int main(int argc, char** argv) {
  if (argc > 1) fault = argv[1];
  channel = atoi(getenv("HEARSAY_CHANNEL"));
  peer = atoi(getenv("HEARSAY_ID"));
  if (has("larger") && peer == 1) dimension = 7;
  if (has("fewer") && peer == 1) samples = 11;
  if (has("nothing")) samples = 0;
  if (has("large")) dimension = 30000;
  if (has("mute")) return 1;

  // The file is there from the first start on, for faults that happen once.
  char mark[64];
  snprintf(mark, sizeof mark, "started-%d", peer);
  const int is_first_start = access(mark, F_OK) != 0;
  fclose(fopen(mark, "w"));

  const int at_1 = peer == 1;
  if (at_1 && (has("crash-before-hello") || (has("kill-before-hello") && is_first_start))) raise(SIGKILL);

  if ((at_1 && has("slow-hello")) || (peer > 0 && has("slow-hellos"))) pause();
  char hello[256];
  snprintf(hello, sizeof hello,
           "{\"protocol\":%d,\"dimension\":%d,\"samples\":%d,\"scalar\":\"%s\",\"scores\":true%s}",
           has("bad-hello") ? 7 : 1, dimension, samples, has("double") ? "double" : "float",
           has("layers") ? (peer == 1 ? ",\"layers\":[[\"a\",3,2]]" : ",\"layers\":[[\"a\",2,3]]") : "");
  if (send(channel, hello, strlen(hello), MSG_NOSIGNAL) < 0) return 0;
  char facts[4096];
  const int memory_file = receive_facts(facts, sizeof facts);
  char* const memory =
      mmap(NULL, number_at(facts, "\"memory\""), PROT_READ | PROT_WRITE, MAP_SHARED, memory_file, 0);
  if (memory == MAP_FAILED) return 4;
  float* const x = (float*)(memory + number_at(facts, "\"x\""));
  float* const gradient = (float*)(memory + number_at(facts, "\"gradient\""));
  const int64_t* const chosen = (const int64_t*)(memory + number_at(facts, "\"samples\""));

  if (at_1 && has("kill-before-x0") && is_first_start) raise(SIGKILL);
  if (at_1 && has("slow-x0")) pause();

  const int elsewhere = (has("elsewhere") && peer == 1) || (has("forget") && !is_first_start);
  for (int k = 0; k < dimension; ++k) x[k] = (float)(k % 6) + (elsewhere ? 2.0f : 1.0f);
  if (ftruncate(memory_file, 0) == 0) return 9;  // it would end hearsay, too
  const char* fixed = "";
  if (has("mask") || has("more") || has("garbled"))
    fixed = peer != 1        ? "{\"fixed\":[[\"layer\",\"Linear\"],[\"mask\",\"a buffer\"]]}"
            : has("mask")    ? "{\"fixed\":[[\"layer\",\"Linear\"],[\"mask\",\"another buffer\"]]}"
            : has("garbled") ? "{\"fixed\":7}"
                             : "{\"fixed\":[[\"layer\",\"Linear\"],[\"mask\",\"a buffer\"],[\"more\",\"a buffer\"]]}";
  answer(0, 0, 0.0, 0, 0, fixed);
  if (has("kill-after-x0") && peer != 1) raise(SIGKILL);
  printf("peer %d is ready\n", peer);
  fflush(stdout);

  for (;;) {
    char question[48 + 65536];
    const ssize_t length = recv(channel, question, sizeof question - 1, 0);
    if (length < 48) return 0;
    question[length] = '\0';
    uint32_t kind;
    uint64_t number, count, iteration;
    memcpy(&kind, question, 4);
    memcpy(&number, question + 8, 8);
    memcpy(&count, question + 24, 8);
    memcpy(&iteration, question + 32, 8);
    if (kind == 3) {
      printf("the end: %s, x[0] = %.9g\n", question + 48, (double)x[0]);
      if (has("kill-after") && peer == 1) raise(SIGKILL);
      return (has("fail-after") || has("crash-once-fail-after")) && peer == 1 ? 5 : 0;
    }
    if (kind == 2) {
      if (has("exit-in-score") && peer == 1) return 0;
      if (has("slow-score") && peer == 1) pause();
      double loss = 0.0;
      uint64_t hits = 0;
      for (int64_t s = 0; s < samples; ++s)
        for (int k = 0; k < dimension; ++k) {
          const double gap = (double)x[k] - target(s, k);
          loss += 0.5 * gap * gap;
        }
      for (int k = 0; k < dimension; ++k) hits += x[k] > -1.0f && x[k] < 1.0f;
      if (has("nan") && peer == 1) loss = NAN;
      answer(number, 0, loss / samples, hits, (uint64_t)dimension, "");
      static int scored;
      const int is_last = ++scored == 2 && peer == 1;
      if (is_last && has("kill-after-last")) raise(SIGKILL);
      if (is_last && has("exit-after-last")) _exit(5);
      continue;
    }
    if (iteration == 5 && peer == 0 && has("fail-first")) {
      answer(number, 1, 0.0, 0, 0, "ValueError: a bad sample");
      continue;
    }
    if (iteration == 5 && peer == 1) {
      if (has("crash") || ((has("crash-once") || has("crash-once-fail-after") || has("forget")) && is_first_start)) raise(SIGKILL);
      if (has("exit")) return 1;
      if (has("deaf") && is_first_start) {
        FILE* const file = fopen("deaf", "w");
        fprintf(file, "%d", (int)getpid());
        fclose(file);
        close(channel);
        for (;;) pause();
      }
      if (has("slow")) pause();
      if (has("fail")) {
        answer(number, 1, 0.0, 0, 0, "ValueError: a bad sample");
        continue;
      }
      if (has("leave")) {
        answer(number, 2, 0.0, 0, 0, "left at iteration 5");
        return 0;
      }
      if (has("stop")) {
        answer(number, 3, 0.0, 0, 0, "");
        continue;
      }
      if (has("lie")) {
        if (send(channel, "what?", 5, MSG_NOSIGNAL) < 0) return 0;
        continue;
      }
    }
    static int asked;
    ++asked;
    if (has("slow-first")) pause();
    for (int k = 0; k < dimension; ++k) {
      double sum = 0.0;
      for (uint64_t s = 0; s < count; ++s) sum += (double)x[k] - target(chosen[s], k);
      gradient[k] = count == 0 ? 0.0f : (float)(sum / (double)count);
      if (has("random") || (has("random-at-1") && peer == 1)) gradient[k] += (float)asked;
    }
    const int at_fault = iteration == 5 && peer == 1;
    if (at_fault && has("nan-gradient")) gradient[3] = NAN;
    if (at_fault && has("inf-gradient")) gradient[3] = -INFINITY;
    answer(number, 0, 0.0, 0, 0, "");
    if (at_fault && has("leave-between")) {
      answer(0, 2, 0.0, 0, 0, "KeyError: 7");
      return 1;
    }
    if (at_fault && has("exit-between")) return 7;
    if (at_fault && has("kill-between") && is_first_start) raise(SIGKILL);
  }
}

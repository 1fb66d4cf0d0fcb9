// How open the surface is to the light around it: what stands up nearby, seen on the screen, takes
// some away (after scalable ambient obscurance, McGuire, Mara and Luebke 2012). In view space, y
// up, z back.

uniform highp sampler2D depthTexture;
uniform sampler2D normalTexture;
uniform vec2 slope;
uniform vec2 nearFar;
uniform float reach;

in vec2 uvs;

layout (location = 0) out vec4 outColor;

const int SAMPLES = 9;
// A spiral, 2.4 radians from point to point.
const vec2 SPIRAL[SAMPLES] = vec2[SAMPLES](
    vec2(0.055, 0.0), vec2(-0.123, 0.113), vec2(0.024, -0.277), vec2(0.237, 0.309), vec2(-0.492, -0.087),
    vec2(0.516, -0.328), vec2(-0.186, 0.698), vec2(-0.383, -0.740), vec2(0.857, 0.313));

vec3 placeAt(vec2 uv)
{
    float depth = texture(depthTexture, uv).r * 2.0 - 1.0;
    float away = 2.0 * nearFar.x * nearFar.y / (nearFar.y + nearFar.x - depth * (nearFar.y - nearFar.x));
    return vec3((2.0 * uv - 1.0) * slope, -1.0) * away;
}

void main()
{
    vec4 normal = texture(normalTexture, uvs);
    if (normal.a == 0.0)
    {
        outColor = vec4(1.0);
        return;
    }
    vec3 n = normalize(normal.xyz * 2.0 - 1.0);
    vec3 here = placeAt(uvs);
    vec2 radius = min(0.5 * reach / (slope * -here.z), vec2(0.12));
    float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    mat2 turned = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
    float blocked = 0.0;
    for (int i = 0; i < SAMPLES; i++)
    {
        vec3 v = (placeAt(uvs + radius * (turned * SPIRAL[i])) - here) / reach;
        float squared = dot(v, v);
        float near = max(1.0 - squared, 0.0);
        blocked += near * near * max(dot(v, n) - 0.025, 0.0) / (squared + 0.02);
    }
    outColor = vec4(clamp(1.0 - 1.2 * blocked / float(SAMPLES), 0.0, 1.0));
}

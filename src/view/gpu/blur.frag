// One direction of a soft blur; the wide shadow is blurred more than the touch.

uniform sampler2D source;
uniform vec2 step_;

in vec2 uvs;

layout (location = 0) out vec4 outColor;

void main()
{
    vec2 sum = vec2(0.0);
    float total = 0.0;
    for (int i = -6; i <= 6; i++)
    {
        float weight = exp(-float(i * i) / 14.0);
        sum.r += weight * texture(source, uvs + step_ * float(i) * 2.6).r;
        sum.g += weight * texture(source, uvs + step_ * float(i) * 0.7).g;
        total += weight;
    }
    outColor = vec4(sum / total, 0.0, 1.0);
}
